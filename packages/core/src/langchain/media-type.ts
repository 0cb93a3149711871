const mediaTypes = ["image", "audio", "video", "file", "text-plain", "image_url", "input_audio", "document"];

/** Where content blocks of LangChain and of providers hold their media; data of the author's own may have such a `type` as well. */
const payloads = ["data", "url", "fileId", "file_id", "source_type", "source", "image_url", "input_audio", "file"];

/** The type of an object that is a media block; undefined for any other. */
export function mediaTypeOf(value: object): string | undefined {
  const type: unknown = Reflect.get(value, "type");
  if (typeof type !== "string" || !mediaTypes.includes(type)) return undefined;
  return payloads.some((payload) => Object.hasOwn(value, payload)) ? type : undefined;
}
