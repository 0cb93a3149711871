import { readSystemOneAnswer, withoutEffect, writeSystemOne } from "@optio/core/wire";
import { type Codec, sageMakerBodyBytes } from "./codec.js";

/** `{state, questions}`: containers of ours, Strands Decider, and others that speak System One. */
export function systemOneCodec({ model }: { readonly model?: string | undefined }): Codec {
  return {
    maxBodyBytes: sageMakerBodyBytes,
    async decide(request, info, send) {
      const text = await send(writeSystemOne(request.state, request.questions, model));
      const answer = readSystemOneAnswer(text, request.questions);
      return {
        questions: answer.questions,
        answeredBy: { ...info, model: { ...info.model, id: answer.model ?? info.model.id } },
        ...(answer.receipt === undefined ? {} : { upstream: { requestId: null, receipt: answer.receipt } }),
        usage: answer.usage,
        timings: answer.timings,
        warnings: [...answer.warnings, ...withoutEffect(request)],
      };
    },
  };
}
