export type { CodecName } from "./codecs/codec.js";
export { type SageMakerOptions, sagemaker } from "./sagemaker.js";
