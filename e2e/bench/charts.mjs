import { barChart } from "./chart.mjs";
import { measurePanels, sizePanels } from "./tables.mjs";

/**
 * The charts of a report by the names of their files: one for each table.
 *
 * @param {import("./report.mjs").Report} report
 * @returns {Record<string, string>}
 */
export function chartsOf(report) {
  const { machine, started } = report;
  const subtitle = `${machine.processor}, ${machine.processors} processors; ${started.slice(0, 10)}. Medians; the line is the range.`;
  const charts = report.measures.flatMap((measure) => {
    const isSize = measure.id === "size";
    const panels = isSize ? sizePanels(report) : measurePanels(report, measure);
    if (panels.length === 0) return [];
    const below = isSize ? "WebAssembly files, without the scripts beside them." : subtitle;
    return [[`${measure.id}.svg`, barChart(measure.title, below, panels)]];
  });
  return Object.fromEntries(charts);
}
