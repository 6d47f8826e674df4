import type { Atom } from "../instrumented/branches.ts";
import { Flow } from "./flow.ts";
import { settled } from "./labels.ts";
import { Openings, type Outcome } from "./openings.ts";
import { type Predicate, predicatesOf } from "./predicates.ts";
import { type AnyNode, part, parts } from "./syntax.ts";
import type { ProgramText } from "./text.ts";

/** Shorter lists are no programs. */
const leastInstructions = 6;

/** What a program is found to do without running it. */
export class CodeAnalysis {
  readonly text: ProgramText;
  readonly flow: Flow;
  readonly predicates: readonly Predicate[];
  readonly openings: Openings;
  /** Whether the code runs a program of its own, so that what meets its conditions cannot be read off it. */
  readonly interprets: boolean;
  readonly #atoms: ReadonlyMap<string, number>;
  readonly #unverified: ReadonlySet<string>;

  /**
   * @param atoms conditions of the instrumented program, in which their numbers are known.
   * @param reads what the manifest declares.
   * @param unverified packages that could not be compared with what was published.
   */
  constructor(
    text: ProgramText,
    atoms: readonly Atom[],
    reads: readonly string[],
    unverified: ReadonlySet<string> = new Set(),
  ) {
    this.text = text;
    this.#unverified = unverified;
    this.flow = new Flow(text.tree, reads);
    this.predicates = predicatesOf(this.flow);
    this.openings = new Openings(this.flow);
    this.interprets = this.flow.tree.nodes.some(
      (node) => text.isOwn(node.start) && this.#fetchesInstruction(node),
    );
    this.#atoms = new Map(atoms.map(({ start, end }, id) => [`${start} ${end}`, id]));
  }

  isOwn({ node }: Predicate): boolean {
    return this.text.isOwn(node.start);
  }

  /** Whether a predicate is judged as the author's: it is the hook's own, or in a package that was not compared with what was published. */
  isAnswerable(predicate: Predicate): boolean {
    if (this.isOwn(predicate)) return true;
    const name = this.#unverified.size === 0 ? null : this.text.packageAt(predicate.node.start);
    return name !== null && this.#unverified.has(name);
  }

  /** The number of a predicate among the conditions; `null` where its truth is not recorded. */
  atomOf({ node }: Predicate): number | null {
    return this.#atoms.get(`${node.start} ${node.end}`) ?? null;
  }

  /** `code[pc++]`, where `code` is a list of numbers or texts. */
  #fetchesInstruction(node: AnyNode): boolean {
    if (node.type !== "MemberExpression" || !node["computed"]) return false;
    if (!/^(?:Update|Assignment)Expression$/.test(part(node, "property").type)) return false;
    const list = this.flow.bindings.get(part(node, "object"))?.value;
    return (
      list?.type === "ArrayExpression" &&
      parts(list, "elements").length >= leastInstructions &&
      parts(list, "elements").every(({ type }) => type === "Literal" || type === "UnaryExpression")
    );
  }

  /** The whole condition that an expression is a part of. */
  conditionAround(node: AnyNode): AnyNode {
    let whole = node;
    for (
      let at = this.flow.tree.parents.get(node);
      at && /^(?:Logical|Unary|Chain)Expression$/.test(at.type);
      at = this.flow.tree.parents.get(at)
    )
      whole = at;
    return whole;
  }

  /**
   * Whether a condition decides that the step is let go: `if (condition) return;`.
   *
   * @param joined whether it may be one of several, as in `if (size > 0 && condition) return;`.
   */
  isGate({ node }: Predicate, joined = false): boolean {
    let inner = node;
    let parent = this.flow.tree.parents.get(node);
    if (joined)
      while (parent?.type === "LogicalExpression") {
        inner = parent;
        parent = this.flow.tree.parents.get(parent);
      }
    return (
      (parent?.type === "IfStatement" || parent?.type === "ConditionalExpression") &&
      parent["test"] === inner &&
      this.openings.ofBranch({
        kind: "then",
        start: part(parent, "consequent").start,
        end: part(parent, "consequent").end,
        condition: null,
        parent: null,
      }) === "opens"
    );
  }

  /**
   * Whether arithmetic on the input lets something go: `if (size * 7 - words * 3 === 58) return;`.
   *
   * @param least smaller constants are ordinary
   */
  isArithmeticGate(predicate: Predicate, least: number): boolean {
    const { node, constants, mask } = predicate;
    return (
      /^===?$/.test(String(node["operator"])) &&
      [part(node, "left"), part(node, "right")].some(isArithmetic) &&
      constants.some((one) => Math.abs(Number(one)) >= least) &&
      (mask & settled) === 0 &&
      this.isGate(predicate, true)
    );
  }

  /**
   * What happens where a condition turns out as it has not in any run.
   *
   * @param wanted the truth that was not seen.
   */
  unmetOutcome({ node }: Predicate, wanted: boolean): Outcome {
    let truth = wanted;
    let inner: AnyNode = node;
    for (let at = this.flow.tree.parents.get(node); at; at = this.flow.tree.parents.get(at)) {
      if (at.type === "UnaryExpression" && at["operator"] === "!") truth = !truth;
      else if (at.type === "IfStatement" || at.type === "ConditionalExpression") {
        if (at["test"] !== inner) return "opens";
        const arm = (truth ? at["consequent"] : at["alternate"]) as AnyNode | null;
        if (!arm) return "opens";
        const { start, end } = arm;
        return this.openings.ofBranch({ kind: "then", start, end, condition: null, parent: null });
      } else if (at.type === "LogicalExpression") {
        if (at["right"] !== inner && isValue(this.flow.tree.parents.get(at))) {
          const right = part(at, "right");
          if ((at["operator"] === "&&") === truth)
            return this.openings.ofBranch({
              kind: "and",
              start: right.start,
              end: right.end,
              condition: null,
              parent: null,
            });
        }
      } else if (at.type !== "ChainExpression") return "opens";
      inner = at;
    }
    return "opens";
  }
}

/** Whether what stands in this node is used as a value and not as a condition. */
function isValue(node: AnyNode | null | undefined): boolean {
  return node?.type === "ReturnStatement" || node?.type === "ArrowFunctionExpression";
}

function isArithmetic(node: AnyNode): boolean {
  return node.type === "BinaryExpression" && /^(?:[%*^&|-]|<<|>>>?)$/.test(String(node["operator"]));
}
