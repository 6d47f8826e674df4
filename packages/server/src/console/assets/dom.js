/** Builds the page. Text is always a text node: there is no way here to have it read as markup. */

const svgSpace = "http://www.w3.org/2000/svg";

/**
 * Makes an element. Attributes that begin with `on` are listeners, `false` and `null` leave one out, and children are
 * nodes, texts, or arrays of them.
 */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(svgSpace, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child instanceof Node) element.append(child);
    else if (child !== null && child !== undefined && child !== false)
      element.append(document.createTextNode(String(child)));
  }
}

const paths = {
  overview: "M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-4H4zM14 8h6V4h-6z",
  live: "M3 12h4l3-7 4 14 3-7h4",
  decisions: "M5 4h14v16H5zM8.500 8.500h7M8.500 12h7M8.500 15.500h4",
  approvals: "M4 12l5 5L20 6.500",
  tenants: "M4 20v-9l5-4 5 4v9M14 20v-6l3-2.500 3 2.500v6M2.500 20h19M9 20v-4",
  hooks: "M12 3v10a4 4 0 1 1-8 0M12 3a2 2 0 1 0 .01 0M16 14l-4 4M18 8h3M18 12h3",
  faults: "M12 4 2.800 20h18.400zM12 10v4.500M12 17.200v.1",
  quarantine: "M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6zM9.500 9.500l5 5M14.500 9.500l-5 5",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  sun: "M12 8a4 4 0 1 0 .01 0M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.400 1.400M17.600 17.600 19 19M19 5l-1.400 1.400M6.400 17.600 5 19",
  moon: "M20 14.500A8.500 8.500 0 1 1 9.500 4a7 7 0 0 0 10.500 10.500z",
  auto: "M12 3a9 9 0 1 0 .01 0M12 3v18",
  pause: "M8 5v14M16 5v14",
  play: "M7 4.500v15l12-7.500z",
  back: "M15 5l-7 7 7 7",
};

/** A drawing that says nothing by itself: what it stands for is in words beside it. */
export function icon(name) {
  return svg(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: paths[name] }),
  );
}

/** A shield with a hook in it. */
export function mark() {
  return svg(
    "svg",
    { class: "mark", viewBox: "0 0 32 32", "aria-hidden": "true", focusable: "false" },
    svg("rect", { width: 32, height: 32, rx: 8 }),
    svg("path", { d: "M16 6l8 3v7c0 5-3.400 8.600-8 10-4.600-1.400-8-5-8-10V9z" }),
    svg("path", { d: "M13 11.500v5.500a3 3 0 0 0 6 0" }),
  );
}
