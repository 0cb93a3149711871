/** What middleware leaves for those behind it. */
export interface ServerEnv {
  readonly Variables: { requestId: string };
}
