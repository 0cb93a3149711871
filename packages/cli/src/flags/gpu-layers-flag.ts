import { OptioError } from "@optio/core";
import type { GpuLayers } from "../context.js";

/** Reads a number of layers, `all` or `auto`. */
export function parseGpuLayers(text: string): GpuLayers {
  const word = text.trim();
  if (word === "all" || word === "auto") return word;
  if (/^\d{1,4}$/u.test(word)) return Number(word);
  throw new OptioError("invalid_setting", `--gpu-layers takes a whole number, all or auto, not "${text}".`, {
    hint: "Write --gpu-layers auto: all layers where there is a card.",
  });
}
