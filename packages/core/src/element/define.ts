/** Registers an element; a second copy of the script finds the name taken and leaves it. */
export function define(name: string, element: CustomElementConstructor): void {
  if (customElements.get(name) === undefined) customElements.define(name, element);
}
