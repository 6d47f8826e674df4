export { escape, markup, Markup, type Part, words } from "./markup.ts";
export { page } from "./page.ts";
