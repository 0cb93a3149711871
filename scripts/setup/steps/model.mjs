import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { factsOfFile } from "../fingerprint.mjs";
import { cache, root } from "../places.mjs";

/** The catalogue's file of the model with a role. */
export function modelWithRole(role) {
  const found = catalogue().find((model) => model.role === role);
  if (!found) throw new Error(`models/catalogue: no model has the role ${role}`);
  return found;
}

/** The catalogue's file of a model; undefined when there is none. */
export function modelById(id) {
  return catalogue().find((model) => model.id === id);
}

/** The weights of one model, downloaded and checked by the command line. */
export function model({ id, title, file, bytes, sha256 }) {
  const path = join(cache, "models", sha256, file);
  return {
    id: `model-${id}`,
    title: `The model ${title} (${(bytes / 1e6).toFixed(0)} MB)`,
    place: "cache",
    inputs: () => sha256,
    // The hash was checked while the file was written; its size tells whether somebody cut it since.
    intact: () => factsOfFile(path)?.startsWith(`${bytes} `) === true,
    // The command line is what downloads, but a new build of it is no reason to download again.
    work: ({ run }) =>
      run(process.execPath, [join(root, "packages/cli/bin/optio.js"), "models", "pull", id], {
        cwd: root,
        env: { OPTIO_CACHE: cache },
      }),
  };
}

function catalogue() {
  const folder = join(root, "models/catalogue");
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
}
