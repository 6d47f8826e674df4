type Child = Node | string | null;

/**
 * Makes an element. Texts only ever become text nodes: there is no way from here for a guest's text to be markup.
 *
 * @param attributes `class`, `aria-…` and the like; absent where `null`.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: { readonly [name: string]: string | null } = {},
  ...children: readonly (Child | readonly Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null) element.setAttribute(key, value);
  }
  for (const child of children.flat()) if (child !== null) element.append(child as Node | string);
  return element;
}

/** The element with an id that the page is known to have. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element as T;
}
