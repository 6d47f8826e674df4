import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type CompletionSource,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript, javascriptLanguage, typescriptLanguage } from "@codemirror/lang-javascript";
import { json, jsonLanguage } from "@codemirror/lang-json";
import { bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { editorTheme, syntax } from "./theme.ts";

/** Where an error stands; lines and columns from 1. */
export interface Mark {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface EditorOptions {
  readonly label: string;
  readonly changed: (text: string) => void;
  readonly completeScript: CompletionSource;
  readonly completeJson: CompletionSource;
}

/** What `highlightSpecialChars` leaves out: everything else that turns or hides text is shown as a mark. */
const special = /[\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * One editor, for one file at a time. It lives in a shadow tree, so that its styles come as style sheets of the tree:
 * the page's policy allows no style from a script anywhere else.
 */
export class Editor {
  readonly #view: EditorView;
  readonly #options: EditorOptions;
  /** Cursor and history of files that were open, by path. */
  readonly #states = new Map<string, EditorState>();
  #path = "";

  constructor(parent: HTMLElement, options: EditorOptions) {
    this.#options = options;
    const root = parent.attachShadow({ mode: "open" });
    this.#view = new EditorView({ root, parent: root as unknown as HTMLElement });
  }

  get path(): string {
    return this.#path;
  }

  /** Opens a file. What was there of it before comes back where its text is the same. */
  open(path: string, text: string): void {
    if (this.#path !== "") this.#states.set(this.#path, this.#view.state);
    const kept = this.#states.get(path);
    this.#path = path;
    this.#view.setState(kept?.doc.toString() === text ? kept : this.#state(path, text));
  }

  /** Forgets what was open: another example begins. */
  clear(): void {
    this.#states.clear();
    this.#path = "";
  }

  mark(marks: readonly Mark[]): void {
    const { doc } = this.#view.state;
    const diagnostics = marks.map(({ line, column, message }): Diagnostic => {
      const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
      const from = Math.min(at.from + Math.max(column - 1, 0), at.to);
      return { from, to: Math.max(Math.min(from + 1, at.to), from), severity: "error", message };
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }

  focus(): void {
    this.#view.focus();
  }

  #state(path: string, doc: string): EditorState {
    return EditorState.create({ doc, extensions: [...this.#base(path), ...this.#language(path)] });
  }

  #language(path: string): Extension[] {
    const { completeJson, completeScript } = this.#options;
    if (path.endsWith(".json")) {
      return [json(), jsonLanguage.data.of({ autocomplete: completeJson })];
    }
    const typescript = !path.endsWith("js");
    const language = typescript ? typescriptLanguage : javascriptLanguage;
    return [javascript({ typescript }), language.data.of({ autocomplete: completeScript })];
  }

  #base(path: string): Extension[] {
    return [
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightSpecialChars({ addSpecialChars: special }),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      autocompletion({ icons: false }),
      highlightActiveLine(),
      // Tab leaves the editor, as everywhere on the page.
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
      syntaxHighlighting(syntax),
      editorTheme,
      EditorView.lineWrapping,
      EditorState.tabSize.of(2),
      EditorView.contentAttributes.of({
        "aria-label": `${this.#options.label}: ${path}`,
        spellcheck: "false",
        tabindex: "0",
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) this.#options.changed(update.state.doc.toString());
      }),
    ];
  }
}
