import { OptioError } from "../errors.js";
import type { ModelFile, SyncReader } from "../store/model-file.js";
import { Op, protocolVersion, readFrame } from "./frame.js";
import { createScorerModule, type ModuleLoader, type ScorerModule } from "./module.js";
import { outcomeOf } from "./outcome.js";
import {
  bareRequest,
  CallAborted,
  helloRequest,
  hiddenRequest,
  loadRequest,
  piecesRequest,
  readHello,
  readHidden,
  readLoaded,
  readPieces,
  readScore,
  readTokens,
  resultOf,
  scoreRequest,
  tokenizeRequest,
} from "./protocol.js";
import type { LoadRequest, ScorerWorkerApi, StartRequest, WorkerNotice, WorkerScoreRequest } from "./worker-api.js";

/** What a worker needs of its platform. */
export interface WorkerHost extends ModuleLoader {
  openModelFile(file: ModelFile): Promise<SyncReader>;
  notify(notice: WorkerNotice): void;
}

/** The worker's side of the scorer: it owns one module and answers the calls of `ScorerWorkerApi`. */
export function createScorerWorker(host: WorkerHost): ScorerWorkerApi {
  let module: ScorerModule | undefined;
  let reader: SyncReader | undefined;
  let abortFlag: Int32Array | undefined;
  let threads = 1;
  let cancelled = false;
  let lastId = 0;

  const nextId = (): number => {
    lastId += 1;
    return lastId;
  };
  const running = (): ScorerModule => {
    if (module === undefined) throw new OptioError("internal", "The scorer's module was called before it started.");
    return module;
  };

  const start = async (request: StartRequest) => {
    abortFlag = request.abortFlag === undefined ? undefined : new Int32Array(request.abortFlag);
    threads = request.threads;
    module = await createScorerModule(host, request, {
      read: (destination, offset) => reader?.read(destination, offset) ?? -1,
      aborted: () => cancelled || (abortFlag !== undefined && Atomics.load(abortFlag, 0) !== 0),
      emit: (bytes) => {
        const { op, payload } = readFrame(bytes);
        if (op === Op.load) {
          host.notify({ optio: "load-progress", fraction: payload.f32() });
        } else if (op === Op.score || op === Op.step) {
          const progress = { evaluatedTokens: payload.u32(), totalTokens: payload.u32() };
          host.notify({ optio: "score-progress", progress });
        }
      },
    });
    return readHello(resultOf(module.call(helloRequest(nextId()))));
  };

  const load = async (request: LoadRequest) => {
    reader?.close();
    reader = await host.openModelFile(request.file);
    try {
      const settings = { ...request.settings, threads, sizeBytes: reader.size };
      return readLoaded(resultOf(running().call(loadRequest(nextId(), settings))));
    } finally {
      reader.close();
      reader = undefined;
    }
  };

  const score = async (request: WorkerScoreRequest) => {
    cancelled = false;
    const scorer = running();
    const { plan } = request;
    const stepwise = abortFlag === undefined;
    let answer = readScore(resultOf(scorer.call(scoreRequest(nextId(), { ...request, stepwise }))), plan);
    while (!answer.done) {
      const { evaluatedTokens, totalTokens } = answer;
      host.notify({ optio: "score-progress", progress: { evaluatedTokens, totalTokens } });
      await messagesHandled();
      if (cancelled) {
        scorer.call(bareRequest(nextId(), Op.cancel));
        throw new CallAborted();
      }
      answer = readScore(resultOf(scorer.call(bareRequest(nextId(), Op.step))), plan);
    }
    return answer.result;
  };

  return {
    start: (request) => outcomeOf(() => start(request)),
    load: (request) => outcomeOf(() => load(request)),
    tokenize: (texts) => outcomeOf(() => readTokens(resultOf(running().call(tokenizeRequest(nextId(), texts))))),
    score: (request) => outcomeOf(() => score(request)),
    pieces: (tokens) => outcomeOf(() => readPieces(resultOf(running().call(piecesRequest(nextId(), tokens))))),
    hidden: (tokens, positions) =>
      outcomeOf(() => readHidden(resultOf(running().call(hiddenRequest(nextId(), tokens, positions, 0))))),
    forget: () =>
      outcomeOf(() => {
        resultOf(running().call(bareRequest(nextId(), Op.forget))).end();
        return undefined;
      }),
    cancel: async () => {
      cancelled = true;
    },
  };
}

export const readyNotice = { optio: "ready", protocol: protocolVersion } as const satisfies WorkerNotice;

/** Lets messages that have arrived be handled: a timer runs after them. */
function messagesHandled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
