import { english } from "./en.js";
import { french } from "./fr.js";
import type { Words } from "./words.js";

const tables: readonly Words[] = [english, french];

/**
 * The words for a language; English where there are none.
 *
 * @param language BCP 47, such as `fr-CA`; numbers are written its way
 */
export function wordsFor(language: string): Words {
  const table = tables.find((words) => language.toLowerCase().split("-")[0] === words.language);
  return table === undefined ? english : { ...table, language };
}
