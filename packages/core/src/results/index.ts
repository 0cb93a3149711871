/** Many decided rows as data: kept, counted and exported the same way by the page, the command line and programs. */
export { failedRow, laneOf, type ResultRow, type RowAnswer, type RowReceipt, resultRow } from "./result-row.js";
export { resultsCsv, resultsJsonl } from "./results-text.js";
export { type Interval, wilsonInterval } from "./wilson.js";
