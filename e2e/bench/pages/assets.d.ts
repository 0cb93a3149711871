/** Vite gives the address of a file that is imported so. */
declare module "*.wasm?url" {
  const address: string;
  export default address;
}
