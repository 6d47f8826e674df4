import { h } from "./dom.ts";
import { sanitizeText } from "./sanitize-text.ts";

/**
 * Wires a list of tabs: arrow keys move, and the callback gets the chosen one.
 *
 * @returns chooses a tab by its name, as a click does.
 */
export function tabList(list: HTMLElement, chosen: (name: string) => void): (name: string) => void {
  const tabs = (): HTMLElement[] => [...list.querySelectorAll<HTMLElement>("[role=tab]")];
  const choose = (name: string): void => {
    for (const tab of tabs()) {
      const on = tab.dataset["name"] === name;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
    }
    chosen(name);
  };
  list.addEventListener("click", (event) => {
    const tab = (event.target as Element).closest<HTMLElement>("[role=tab]");
    if (tab?.dataset["name"] !== undefined) choose(tab.dataset["name"]);
  });
  list.addEventListener("keydown", (event) => {
    const all = tabs();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (at < 0 || step === 0) return;
    event.preventDefault();
    const next = all[(at + step + all.length) % all.length];
    next?.focus();
    if (next?.dataset["name"] !== undefined) choose(next.dataset["name"]);
  });
  return choose;
}

/** The files of a hook: the few that matter as tabs, all others in a list beside them. */
export class FileTabs {
  readonly #parent: HTMLElement;
  readonly #open: (path: string) => void;
  #choose: (path: string) => void = () => undefined;

  constructor(parent: HTMLElement, open: (path: string) => void) {
    this.#parent = parent;
    this.#open = open;
  }

  show(main: readonly string[], rest: readonly string[], chosen: string): void {
    const list = h("div", { role: "tablist", class: "tabs", "aria-label": "Files" });
    for (const path of main) list.append(tab(path));
    const more = h("select", { class: "more", "aria-label": "More files" });
    more.append(h("option", { value: "" }, `${rest.length} more ${rest.length === 1 ? "file" : "files"}`));
    for (const path of rest) more.append(h("option", { value: path }, ...sanitizeText(path)));
    this.#choose = tabList(list, (path) => {
      more.value = rest.includes(path) ? path : "";
      more.classList.toggle("chosen", more.value !== "");
      this.#open(path);
    });
    more.addEventListener("change", () => this.#choose(more.value === "" ? (main[0] ?? "") : more.value));
    this.#parent.replaceChildren(list, ...(rest.length > 0 ? [more] : []));
    this.#choose(chosen);
    // A tab must be reachable by the keyboard, also while a file of the list is open.
    if (!main.includes(chosen)) (list.firstElementChild as HTMLElement | null)?.setAttribute("tabindex", "0");
  }

  /** Marks the file that an error is in. */
  wrong(path: string | null): void {
    for (const tab of this.#parent.querySelectorAll<HTMLElement>("[role=tab]")) {
      tab.classList.toggle("wrong", tab.dataset["name"] === path);
    }
  }
}

/** A short name for the files that every hook has. */
function tab(path: string): HTMLElement {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return h(
    "button",
    {
      type: "button",
      role: "tab",
      class: "tab",
      "data-name": path,
      title: path,
      "aria-controls": "hook-editor",
    },
    name,
  );
}
