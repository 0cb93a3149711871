import { crc32, deflateRawSync } from "node:zlib";

export interface ArchiveMember {
  readonly path: string;
  readonly bytes: Buffer;
  /** Deflated instead of stored. */
  readonly packed?: boolean;
}

/** A zip archive. Its local headers have an extra field that its directory does not have, as real ones may. */
export function zipArchive(members: readonly ArchiveMember[], comment = ""): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, bytes, packed = false } of members) {
    const data = packed ? deflateRawSync(bytes) : bytes;
    const file = Buffer.from(path);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(packed ? 8 : 0, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(file.length, 22);
    const extra = Buffer.from([1, 2, 0, 0]);
    const local = Buffer.from(common);
    local.writeUInt16LE(extra.length, 24);
    parts.push(Buffer.from("PK\x03\x04"), local, file, extra, data);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02"), Buffer.from([20, 0]), common, rest, file);
    offset += 4 + local.length + file.length + extra.length + data.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(members.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  end.writeUInt16LE(comment.length, 16);
  return Buffer.concat([...parts, list, Buffer.from("PK\x05\x06"), end, Buffer.from(comment, "latin1")]);
}
