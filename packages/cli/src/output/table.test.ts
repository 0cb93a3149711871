import { expect, it } from "vitest";
import { renderTable } from "./table.js";

it("aligns columns by what is shown, and makes cells safe", () => {
  expect(
    renderTable(
      [{ title: "name" }, { title: "size", align: "right" }],
      [
        ["日本", "1"],
        ["a\nb", "12345"],
      ],
    ),
  ).toEqual(["name   size", "日本      1", "a b   12345"]);
});
