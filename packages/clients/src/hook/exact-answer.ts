import { type Answers, type ClientEvent, type Json } from "../clients/index.ts";

/**
 * Whether an answer has exactly the form that a client honours at an event: parts that its table can make, and nothing
 * else. Some clients ignore an answer with an unknown field or without a reason, and run the tool.
 */
export function isExact({ answers }: ClientEvent, answer: unknown): boolean {
  if (!isPlain(answer)) return false;
  return covers(
    templatesOf(answers).filter((template) => matches(template, answer)),
    answer,
  );
}

/** Stands for any text, or as the name of a field for any object. */
const any = "\u0000";

/** What each answer of the table looks like. */
function templatesOf(answers: Answers): Json[] {
  return [
    answers.stop?.(any, {}),
    answers.halt?.(any, {}),
    answers.ask?.(any),
    answers.allow?.(),
    answers.retry?.(any),
    answers.input?.({ [any]: any }, {}),
    answers.result?.(any, {}),
    answers.prompt?.(any),
    answers.context?.(any, {}),
    answers.notice?.(any),
  ].filter((template) => template !== undefined);
}

function matches(template: unknown, value: unknown): boolean {
  if (typeof template === "string" && template.includes(any)) {
    return typeof value === "string" && value.trim() !== "";
  }
  if (!isPlain(template)) return template === value;
  if (!isPlain(value)) return false;
  return (
    Object.hasOwn(template, any) ||
    Object.entries(template).every(
      ([field, inner]) => Object.hasOwn(value, field) && matches(inner, value[field]),
    )
  );
}

/** Whether each field of a value is in one of the templates, all of which match it. */
function covers(templates: readonly unknown[], value: unknown): boolean {
  if (!isPlain(value)) return templates.length > 0;
  const objects = templates.filter(isPlain);
  if (objects.some((template) => Object.hasOwn(template, any))) return true;
  return Object.entries(value).every(([field, inner]) => {
    const there = objects.filter((template) => Object.hasOwn(template, field));
    return (
      there.length > 0 &&
      covers(
        there.map((template) => template[field]),
        inner,
      )
    );
  });
}

function isPlain(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
