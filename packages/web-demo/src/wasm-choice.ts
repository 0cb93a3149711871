import {
  type CatalogueEntry,
  catalogue,
  chooseVariant,
  createModelStore,
  detectFeatures,
  OptioError,
  type WasmOptions,
  wasm,
  wasmVariants,
} from "@optio/core";
import type { EngineChoice, ModelOffer } from "./engine-choice.js";

/** What the catalogue's roles mean to someone who chooses a model. */
const roleWords: Readonly<Record<string, string>> = {
  default: "The smallest one here that is measurably useful.",
  "small-memory": "For devices with little memory; right less often.",
  fixture: "For trying the page out and for tests: its answers are close to chance.",
};

/** The real engine. `?model=`, `?variant=` and `?threads=` choose what is offered first and what computes. */
export function wasmChoice(query: URLSearchParams): EngineChoice {
  // The page's own server comes first: it works offline and without leave from another origin.
  const store = createModelStore({ sources: ["models/{file}"] });
  const models = catalogue.filter(({ engines }) => engines.includes("wasm"));
  const asked = models.find(({ id }) => id === query.get("model"));
  const options = { store, ...variantOf(query), ...threadsOf(query) } satisfies WasmOptions;

  return {
    firstModel: (asked ?? models[0])?.id ?? "",
    unsupported() {
      try {
        chooseVariant(detectFeatures(navigator.hardwareConcurrency || 1), options);
        return undefined;
      } catch (error) {
        const { code, message, hint } = OptioError.from(error);
        return { code, message, hint };
      }
    },
    async offers() {
      const served = await servedFiles();
      return Promise.all(models.map((model) => offerOf(model, served.has(model.file))));
    },
    source: (model) => wasm({ ...options, model }),
    discard: async (model) => {
      await store.remove(model);
    },
  };

  async function offerOf(model: CatalogueEntry, served: boolean): Promise<ModelOffer> {
    const { id, title, bytes, licence, role } = model;
    const status = await store.status(id);
    const storedBytes = status.state === "stored" ? bytes : status.state === "partial" ? status.loadedBytes : 0;
    const quality = qualityOf(model) ?? (role === undefined ? undefined : roleWords[role]);
    return { id, title, bytes, licence, storedBytes, served, ...(quality === undefined ? {} : { quality }) };
  }
}

function qualityOf({ evidence, role }: CatalogueEntry): string | undefined {
  if (evidence === undefined) return undefined;
  const percent = Math.round((100 * evidence.correct) / evidence.rows);
  const words = role === undefined ? undefined : roleWords[role];
  return `${words === undefined ? "" : `${words} `}${percent} % right on ${evidence.data} (${evidence.date}).`;
}

function variantOf(query: URLSearchParams): Pick<WasmOptions, "variant"> {
  const variant = query.get("variant");
  const known = wasmVariants.find((name) => name === variant);
  return known ? { variant: known } : {};
}

function threadsOf(query: URLSearchParams): Pick<WasmOptions, "threads"> {
  const threads = Number(query.get("threads"));
  return Number.isInteger(threads) && threads > 0 ? { threads } : {};
}

/** Files that the page's own server has; none when there is no network, or another server. */
async function servedFiles(): Promise<ReadonlySet<string>> {
  try {
    const response = await fetch(new URL("models/", document.baseURI));
    const list: unknown = response.ok ? await response.json() : [];
    return new Set(Array.isArray(list) ? list.flatMap((item) => (isAvailable(item) ? [item.file] : [])) : []);
  } catch {
    return new Set();
  }
}

function isAvailable(item: unknown): item is { readonly file: string } {
  return (
    typeof item === "object" &&
    item !== null &&
    "file" in item &&
    typeof item.file === "string" &&
    "available" in item &&
    item.available === true
  );
}
