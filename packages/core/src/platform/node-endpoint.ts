import type { MessagePort, Worker } from "node:worker_threads";
import type { Endpoint } from "comlink";

type Listener = Parameters<Endpoint["addEventListener"]>[1];

/** A worker thread, or the port to the thread's parent, as comlink wants it. */
export function nodeEndpoint(port: Worker | MessagePort): Endpoint {
  const handlers = new WeakMap<Listener, (data: unknown) => void>();
  return {
    postMessage: (message: unknown, transfer?: Transferable[]) =>
      port.postMessage(message, transfer as Parameters<MessagePort["postMessage"]>[1]),
    addEventListener: (_type, listener) => {
      const handler = (data: unknown) => {
        const event = { data } as MessageEvent;
        if (typeof listener === "function") listener(event);
        else listener.handleEvent(event);
      };
      handlers.set(listener, handler);
      port.on("message", handler);
    },
    removeEventListener: (_type, listener) => {
      const handler = handlers.get(listener);
      if (handler !== undefined) port.off("message", handler);
    },
  };
}
