import { h, icon } from "./dom.js";

const themes = ["auto", "light", "dark"];

/** The chosen colours. */
export function theme() {
  try {
    const kept = localStorage.getItem("hookwarden-theme");
    return themes.includes(kept) ? kept : "auto";
  } catch {
    return "auto";
  }
}

/** Switches between light, dark, and what the system wants. */
export function themeButton() {
  const button = h("button", { type: "button", class: "button quiet" });
  const show = () => {
    const now = theme();
    document.documentElement.dataset.theme = now;
    button.replaceChildren(icon({ auto: "auto", light: "sun", dark: "moon" }[now]));
    button.setAttribute("aria-label", `Colours: ${now}`);
    button.title = `Colours: ${now}`;
  };
  button.addEventListener("click", () => {
    try {
      localStorage.setItem("hookwarden-theme", themes[(themes.indexOf(theme()) + 1) % themes.length]);
    } catch {
      return;
    }
    show();
  });
  show();
  return button;
}
