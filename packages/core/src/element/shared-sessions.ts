import type { ModelSession } from "./model-session.js";

interface Shared {
  readonly session: ModelSession;
  users: number;
  closing: ReturnType<typeof setTimeout> | undefined;
}

/** On the page, not in this module: a second copy of the script shares the engines of the first. */
const place = Symbol.for("optio.sessions.1");

/** Milliseconds that an engine outlives its last user: frameworks take elements out and put them back. */
const graceMs = 2_000;

/** The session of this name on the page, made by `make` where there is none. Every call needs its `releaseSession`. */
export function acquireSession(name: string, make: () => ModelSession): ModelSession {
  const all = sessions();
  let shared = all.get(name);
  if (shared === undefined) {
    shared = { session: make(), users: 0, closing: undefined };
    all.set(name, shared);
    void shared.session.open();
  }
  clearTimeout(shared.closing);
  shared.users += 1;
  return shared.session;
}

/** Gives a session back; its engine is closed soon after the last user has. */
export function releaseSession(name: string): void {
  const shared = sessions().get(name);
  if (shared === undefined) return;
  shared.users -= 1;
  if (shared.users > 0) return;
  shared.closing = setTimeout(() => {
    sessions().delete(name);
    void shared.session.close();
  }, graceMs);
}

function sessions(): Map<string, Shared> {
  const page = globalThis as { [place]?: Map<string, Shared> };
  page[place] ??= new Map();
  return page[place];
}
