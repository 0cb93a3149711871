import { OptioError } from "../errors.js";
import { thenClose } from "../then-close.js";
import type { CatalogueEntry } from "./catalogue.js";
import { makeRoom } from "./eviction.js";
import { fetchModel, partialBytes, type WantedModel } from "./fetch-model.js";
import { importModel } from "./import-model.js";
import { localModel, textHash } from "./local-model.js";
import { modelFileName } from "./model-id.js";
import { type ModelReference, modelNotFound, parseModelReference } from "./model-reference.js";
import { addressSource, sourcesOf } from "./model-sources.js";
import type { AddOptions, ModelStore, StoreCallOptions, StoreSettings } from "./model-store.js";
import { ProgressMeter } from "./progress-meter.js";
import type { HeldLock, StorePlatform } from "./store-platform.js";
import {
  blobBytes,
  checkSize,
  cleanUp,
  folderBytes,
  notStored,
  sourceLabel,
  sourceText,
  verifyModel,
  withRoomToMake,
} from "./store-upkeep.js";
import { type StoredModel, StoredModels } from "./stored-models.js";
import { defaultTransfer } from "./transfer.js";
import { migratedFirst } from "./versions.js";

/** The store over one platform's files, facts and locks. */
export function createStore(platform: StorePlatform, settings: StoreSettings): ModelStore {
  const { catalogue, stallMs, attempts, backOffMs, progressMs = 250, evict = "never", maxBytes } = settings;
  const models = new StoredModels(platform, catalogue);
  const room = { platform, models, evict, maxBytes };
  const transferSettings = {
    stallMs: stallMs ?? defaultTransfer.stallMs,
    attempts: attempts ?? defaultTransfer.attempts,
    backOffMs: backOffMs ?? defaultTransfer.backOffMs,
  };

  const refer = (reference: string | undefined): ModelReference => {
    if (reference !== undefined)
      return parseModelReference(reference, { catalogue, baseAddress: platform.baseAddress });
    const entry = catalogue.find(({ role }) => role === "default");
    if (entry === undefined) throw new OptioError("model_not_found", "the catalogue has no default model");
    return { kind: "catalogue", entry };
  };

  const wantedOf = (reference: ModelReference & { kind: "catalogue" | "address" }): WantedModel => {
    const entry = reference.kind === "catalogue" ? reference.entry : publishedAt(reference.address);
    if (entry !== undefined) {
      return {
        folder: entry.sha256,
        fileName: entry.file,
        name: entry.id,
        expected: { sizeBytes: entry.bytes, sha256: entry.sha256 },
        sources: sourcesOf(entry, settings, platform.baseAddress),
      };
    }
    const { address } = reference as ModelReference & { kind: "address" };
    const source = addressSource(address);
    return {
      folder: `address-${textHash(platform, address)}`,
      fileName: modelFileName(address),
      name: source.label,
      expected: {},
      sources: [source],
    };
  };

  /** An address that the catalogue has a hash for is held to it. */
  const publishedAt = (address: string): CatalogueEntry | undefined =>
    catalogue.find((entry) =>
      sourcesOf(entry, settings, platform.baseAddress).some((s) => s.kind === "address" && s.address === address),
    );

  const stored = (wanted: WantedModel): Promise<StoredModel | undefined> => {
    const { sha256 } = wanted.expected;
    return sha256 === undefined ? models.bySource(sourceText(wanted)) : models.bySha(sha256);
  };

  const unknownName = async (name: string): Promise<OptioError> =>
    modelNotFound(name, [...new Set([...catalogue.map(({ id }) => id), ...(await models.list()).map(({ id }) => id)])]);

  const byName = async (name: string): Promise<StoredModel> => {
    const model = (await models.byId(name)) ?? (await models.byId(name.toLowerCase()));
    if (model === undefined) throw await unknownName(name);
    return model;
  };

  const atPath = (path: string, options: StoreCallOptions): Promise<StoredModel> => {
    if (platform.local === undefined)
      throw new OptioError("model_not_found", `${path} is a path, which only Node can read`);
    return localModel(platform, platform.local, path, catalogue, options);
  };

  const commit = async (part: string, fileName: string, sha256: string, source: string): Promise<StoredModel> => {
    const folder = part.slice(0, part.lastIndexOf("/"));
    const present = await models.bySha(sha256);
    if (present === undefined) await platform.files.rename(part, `${sha256}/${fileName}`);
    const now = new Date().toISOString();
    await models.record(sha256, { source, addedAt: now, usedAt: now, pinned: present?.pinned ?? false });
    await platform.facts.delete(part);
    await cleanUp(platform, folder, sha256);
    const model = await models.bySha(sha256);
    if (model === undefined)
      throw new OptioError("store_failed", `${fileName} vanished from the store while it was added`);
    return model;
  };

  const makingRoom =
    ({ onProgress }: StoreCallOptions) =>
    (neededBytes: number, what: string): Promise<void> =>
      makeRoom(room, neededBytes, what, onProgress);

  const fetchInto = async (wanted: WantedModel, lock: HeldLock, options: StoreCallOptions): Promise<StoredModel> => {
    const signal = options.signal === undefined ? lock.lost : AbortSignal.any([options.signal, lock.lost]);
    const meter = new ProgressMeter((progress) => {
      lock.report(progress);
      options.onProgress?.(progress);
    }, progressMs);
    try {
      const transfer = {
        platform,
        settings: transferSettings,
        meter,
        signal,
        ensureSpace: makingRoom(options),
      };
      const fetched = await fetchModel(transfer, wanted);
      signal.throwIfAborted();
      return await commit(fetched.part, wanted.fileName, fetched.sha256, sourceLabel(fetched.source));
    } catch (error) {
      throw OptioError.isInstance(error, "no_space") ? await withRoomToMake(error, models) : error;
    } finally {
      meter.stop();
    }
  };

  const fetchOnce = async (wanted: WantedModel, options: StoreCallOptions): Promise<StoredModel> => {
    const { signal, onProgress } = options;
    const present = await stored(wanted);
    if (present !== undefined) {
      await models.touch(present.sha256);
      return present;
    }
    const lock = await platform.lock.hold(wanted.folder, {
      ...(signal === undefined ? {} : { signal }),
      ...(onProgress === undefined ? {} : { onWait: onProgress }),
    });
    return thenClose(
      // Whoever held the lock before may have downloaded it.
      async () => (await stored(wanted)) ?? (await fetchInto(wanted, lock, options)),
      () => lock.release(),
    );
  };

  const get = async (reference: string | undefined, options: StoreCallOptions = {}): Promise<StoredModel> => {
    options.signal?.throwIfAborted();
    const target = refer(reference);
    if (target.kind === "path") return atPath(target.path, options);
    if (target.kind === "name") {
      const model = await byName(target.name);
      await models.touch(model.sha256);
      return model;
    }
    return fetchOnce(wantedOf(target), options);
  };

  const add = async (file: string | Blob, options: AddOptions = {}): Promise<StoredModel> => {
    const { signal } = options;
    signal?.throwIfAborted();
    if (typeof file !== "string") {
      const name = options.name ?? ("name" in file && typeof file.name === "string" ? file.name : "model.gguf");
      const source = { name, fileName: modelFileName(name), sizeBytes: file.size, bytes: blobBytes(file) };
      const copied = await importModel(platform, source, { ...options, ensureSpace: makingRoom(options) });
      return commit(copied.part, source.fileName, copied.sha256, name);
    }
    const target = refer(file);
    if (target.kind !== "path") return get(file, options);
    const { local } = platform;
    const inPlace = await atPath(target.path, options);
    const present = await models.bySha(inPlace.sha256);
    if (present !== undefined || local === undefined) return present ?? inPlace;
    const path = inPlace.source ?? target.path;
    const fileName = inPlace.entry?.file ?? inPlace.fileName;
    const lock = await platform.lock.hold(`add-${inPlace.sha256}`, signal === undefined ? {} : { signal });
    const copy = async () => {
      const source = { name: path, fileName, sizeBytes: inPlace.sizeBytes, bytes: local.read(path) };
      const copied = await importModel(platform, source, { ...options, ensureSpace: makingRoom(options) });
      return commit(copied.part, fileName, copied.sha256, path);
    };
    return thenClose(copy, () => lock.release());
  };

  const storedModel = async (id: string): Promise<StoredModel> => {
    const target = refer(id);
    const model = target.kind === "catalogue" ? await models.bySha(target.entry.sha256) : await byName(id);
    if (model === undefined && target.kind === "catalogue") await checkSize(platform, target.entry);
    if (model === undefined) throw notStored(id);
    return model;
  };

  return migratedFirst(platform, {
    list: () => models.list(),
    get,
    add,
    status: async (reference) => {
      const target = refer(reference);
      if (target.kind === "path") return { state: "stored", model: await atPath(target.path, {}) };
      if (target.kind === "name") return { state: "stored", model: await byName(target.name) };
      const wanted = wantedOf(target);
      const model = await stored(wanted);
      if (model !== undefined) return { state: "stored", model };
      const total = wanted.expected.sizeBytes === undefined ? {} : { totalBytes: wanted.expected.sizeBytes };
      const loadedBytes = await partialBytes({ platform }, wanted);
      return loadedBytes > 0 ? { state: "partial", loadedBytes, ...total } : { state: "absent", ...total };
    },
    verify: async (id, options = {}) => {
      const model = await storedModel(id);
      await verifyModel(platform, model, options);
      return model;
    },
    remove: async (reference) => {
      const target = refer(reference);
      if (target.kind === "path")
        throw new OptioError("model_not_found", `${target.path} is not in the store, so it stays`);
      const model = target.kind === "name" ? await byName(target.name) : await stored(wantedOf(target));
      const folder = model?.sha256 ?? (target.kind === "name" ? "" : wantedOf(target).folder);
      const lock = await platform.lock.hold(folder, { wait: false });
      const removeAll = async () => {
        const freedBytes = await folderBytes(platform, folder);
        if (freedBytes === 0) throw notStored(reference);
        await cleanUp(platform, folder, "");
        await models.forget(folder);
        return { id: model?.id ?? reference, freedBytes };
      };
      return thenClose(removeAll, () => lock.release());
    },
    pin: async (id, pinned = true) => {
      const { sha256 } = await storedModel(id);
      await models.pin(sha256, pinned);
      return storedModel(id);
    },
    export: async (id) => {
      const { sha256, fileName } = await storedModel(id);
      return platform.files.blob(`${sha256}/${fileName}`);
    },
  });
}
