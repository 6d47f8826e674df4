import { HookwardenError } from "hookwarden/errors";
import { sha256 } from "hookwarden/files";
import {
  type Example,
  type ExampleCase,
  eventsText,
  filesFor,
  packFile,
  type PageData,
  stateText,
} from "../example.ts";
import type { Answer, Problem, Workspace } from "../protocol.ts";
import { completeEvent, completeManifest } from "./complete-json.ts";
import { completeScript } from "./complete-script.ts";
import { DecisionView, titleOf } from "./decision.ts";
import { byId, h } from "./dom.ts";
import { Editor } from "./editor.ts";
import { FileTabs, tabList } from "./tabs.ts";
import { changedFiles, LinkError, readLink, type Shared, writeLink } from "./link.ts";
import { Workers } from "./workers.ts";

/** From the last key to the decision, in milliseconds. */
const pauseMs = 120;

/** The page: what is edited, and what comes of it. */
export class Playground {
  readonly #data: PageData;
  readonly #workers: Workers;
  readonly #hook: Editor;
  readonly #event: Editor;
  readonly #view: DecisionView;
  readonly #files: FileTabs;
  readonly #showEventTab: (name: string) => void;
  #example: Example;
  #given: { [path: string]: string } = {};
  #events = "";
  #state = "";
  #tenant = "default";
  #timer = 0;
  /** The latest answer; `null` while one is awaited. */
  answer: Answer | null = null;

  constructor(data: PageData) {
    this.#data = data;
    this.#example = data.examples[0] as Example;
    this.#workers = new Workers(data.workers, data.library);
    const script = completeScript(data.completions, () => this.#eventsOfHook());
    const manifest = completeManifest(data.completions, "hook", () => this.#eventsOfHook());
    const pack = completeManifest(data.completions, "pack", () => this.#eventsOfHook());
    this.#hook = new Editor(byId("hook-editor"), {
      label: "Hook",
      completeScript: script,
      completeJson: (context) => (this.#hook.path === packFile ? pack : manifest)(context),
      changed: (text) => {
        this.#given[this.#hook.path] = text;
        this.#changed();
      },
    });
    this.#event = new Editor(byId("event-editor"), {
      label: "Event",
      completeScript: () => null,
      completeJson: completeEvent(data.completions),
      changed: (text) => {
        if (this.#event.path === "state.json") this.#state = text;
        else this.#events = text;
        this.#changed();
      },
    });
    this.#view = new DecisionView(byId("decision"), data.completions);
    this.#files = new FileTabs(byId("file-tabs"), (path) => this.#hook.open(path, this.#given[path] ?? ""));
    this.#showEventTab = tabList(byId("event-tabs"), (name) =>
      this.#event.open(name, name === "state.json" ? this.#state : this.#events),
    );
    this.#wire();
  }

  /** Shows the example that the address carries, or the first one. */
  async begin(): Promise<void> {
    try {
      const shared = await readLink(location.hash);
      if (shared) this.#openShared(shared);
      else this.#openExample(this.#example);
    } catch (error) {
      this.#openExample(this.#example);
      this.#showBanner(error instanceof LinkError ? error.message : "The link cannot be read.");
    }
  }

  /** What stands in the page now. */
  get workspace(): Workspace {
    return { files: { ...this.#given }, events: this.#events, state: this.#state, tenant: this.#tenant };
  }

  get examples(): readonly Example[] {
    return this.#data.examples;
  }

  /** Decides a workspace as the page would, and changes nothing in the page. */
  decide(workspace: Workspace): Promise<Answer | null> {
    return this.#workers.decide(workspace);
  }

  #wire(): void {
    const select = byId<HTMLSelectElement>("example");
    for (const [group, examples] of Map.groupBy(this.#data.examples, (example) => example.group)) {
      const options = examples.map(({ id, title }) => h("option", { value: id }, title));
      select.append(h("optgroup", { label: group }, ...options));
    }
    select.addEventListener("change", () => {
      const example = this.#data.examples.find(({ id }) => id === select.value);
      if (example) this.#openExample(example);
    });
    const cases = byId<HTMLSelectElement>("case");
    cases.addEventListener("change", () => {
      const chosen = this.#example.cases[Number(cases.value)];
      if (chosen) this.#openCase(chosen);
    });
    const tenant = byId<HTMLInputElement>("tenant");
    tenant.addEventListener("input", () => {
      this.#tenant = tenant.value;
      this.#changed();
    });
    byId("share").addEventListener("click", () => void this.#share());
    byId("reset").addEventListener("click", () => this.#openExample(this.#example));
    window.addEventListener("hashchange", () => void this.begin());
    themeSwitch(byId("theme"));
  }

  #openExample(example: Example): void {
    this.#begin(example, example.files);
    const first = example.cases[0];
    if (first) this.#openCase(first);
    if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  }

  #openCase(given: ExampleCase): void {
    if ("config" in given) {
      this.#given[packFile] = filesFor(this.#example, given)[packFile] ?? "";
    } else if (this.#example.cases.some((other) => "config" in other)) {
      this.#given[packFile] = this.#example.files[packFile] ?? "";
    }
    if (this.#hook.path === packFile) this.#hook.open(packFile, this.#given[packFile] ?? "");
    this.#showEvents(eventsText(given), stateText(given));
    this.#changed(0);
  }

  #openShared(shared: Shared): void {
    const example = this.#data.examples.find(({ id }) => id === shared.from) ?? this.#example;
    const files: { [path: string]: string } = { ...example.files };
    for (const [path, text] of Object.entries(shared.files)) {
      if (text === null) delete files[path];
      else
        Object.defineProperty(files, path, {
          value: text,
          enumerable: true,
          configurable: true,
          writable: true,
        });
    }
    this.#begin(example, files, shared.open);
    this.#tenant = shared.tenant;
    byId<HTMLInputElement>("tenant").value = shared.tenant;
    this.#showEvents(shared.events, shared.state);
    byId<HTMLSelectElement>("case").value = "";
    this.#showBanner(
      shared.digest === digestOf(example)
        ? "This example came with the link. It runs in the sandbox of this page and nowhere else."
        : "This link was made with other versions of the shipped policies: the decision may differ from its author's.",
    );
    this.#changed(0);
  }

  #begin(example: Example, files: Workspace["files"], open?: string): void {
    this.#example = example;
    this.#given = { ...files };
    byId<HTMLSelectElement>("example").value = example.id;
    byId("about").replaceChildren(example.description);
    const cases = byId<HTMLSelectElement>("case");
    cases.replaceChildren(
      h("option", { value: "", hidden: "" }, "own event"),
      ...example.cases.map(({ name }, index) => h("option", { value: String(index) }, name)),
    );
    cases.value = "0";
    this.#tenant = "default";
    byId<HTMLInputElement>("tenant").value = "default";
    this.#hook.clear();
    this.#event.clear();
    const folder = example.hook;
    const paths = Object.keys(this.#given);
    const main = [`${folder}/hook.ts`, `${folder}/hook.js`, `${folder}/hook.json`, packFile].filter((path) =>
      paths.includes(path),
    );
    const rest = paths.filter((path) => !main.includes(path)).sort();
    this.#files.show(main, rest, open !== undefined && paths.includes(open) ? open : (main[0] ?? packFile));
    this.#showBanner(null);
  }

  #showEvents(events: string, state: string): void {
    this.#events = events;
    this.#state = state;
    this.#event.clear();
    this.#showEventTab("event.json");
  }

  #changed(pause = pauseMs): void {
    this.answer = null;
    this.#view.wait();
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#decide(), pause);
  }

  async #decide(): Promise<void> {
    const answer = await this.#workers.decide(this.workspace);
    if (!answer) return;
    this.answer = answer;
    this.#view.show(answer);
    this.#mark(answer.problem);
    byId("status").textContent = titleOf(answer);
  }

  /** Puts an error where it stands, if that is open. */
  #mark(problem: Problem | null): void {
    const { file, line, column = 1 } = problem?.place ?? {};
    const mark = problem && line !== undefined ? [{ line, column, message: problem.message }] : [];
    this.#hook.mark(problem?.about === "pack" && file === this.#hook.path ? mark : []);
    const open = this.#event.path === "state.json" ? "state" : "events";
    this.#event.mark(problem?.about === open ? mark : []);
    this.#files.wrong(problem?.about === "pack" ? (file ?? null) : null);
  }

  /** Events that the open hook listens to, as far as its manifest can be read. */
  #eventsOfHook(): readonly string[] {
    try {
      const { on } = JSON.parse(this.#given[`${this.#example.hook}/hook.json`] ?? "") as {
        on: { event: string }[];
      };
      return on.map(({ event }) => event);
    } catch {
      return [];
    }
  }

  async #share(): Promise<void> {
    try {
      const fragment = await writeLink({
        from: this.#example.id,
        digest: digestOf(this.#example),
        files: changedFiles(this.#example.files, this.#given),
        events: this.#events,
        state: this.#state,
        tenant: this.#tenant,
        open: this.#hook.path,
      });
      history.replaceState(null, "", fragment);
      const copied = await navigator.clipboard?.writeText(location.href).then(
        () => true,
        () => false,
      );
      this.#showBanner(
        copied
          ? "The link is copied: the example is in it."
          : "The link stands in the address: the example is in it.",
      );
    } catch (error) {
      if (!(error instanceof LinkError || error instanceof HookwardenError)) throw error;
      this.#showBanner(error.message);
    }
  }

  #showBanner(words: string | null): void {
    const banner = byId("banner");
    banner.textContent = words ?? "";
    banner.hidden = words === null;
  }
}

function digestOf({ files }: Example): string {
  return sha256(JSON.stringify(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)))).slice(7, 23);
}

/** Light, dark, or as the system has it. */
function themeSwitch(button: HTMLElement): void {
  const root = document.documentElement;
  const dark = (): boolean =>
    root.dataset["theme"] === "dark" ||
    (root.dataset["theme"] === undefined && matchMedia("(prefers-color-scheme: dark)").matches);
  const updatePressed = (): void => button.setAttribute("aria-pressed", String(dark()));
  button.addEventListener("click", () => {
    root.dataset["theme"] = dark() ? "light" : "dark";
    updatePressed();
  });
  updatePressed();
}
