import { useRoute } from "vitepress";
import theme from "vitepress/theme";
import { nextTick, onMounted, watch } from "vue";
import "./style.css";

/** The layouts `home` and `page` have no landmark for their content, which screen readers jump to. */
function markMain(): void {
  const content = document.getElementById("VPContent");
  if (content?.querySelector("main")) content.removeAttribute("role");
  else content?.setAttribute("role", "main");
}

export default {
  extends: theme,
  setup() {
    const route = useRoute();
    onMounted(markMain);
    watch(
      () => route.path,
      () => void nextTick(markMain),
    );
  },
};
