// Sets the colour scheme before the first paint. A module would run later, and a dark page would flash white.
(() => {
  let storedScheme = null;
  try {
    storedScheme = localStorage.getItem("mantine-color-scheme-value");
  } catch {
    // Storage is blocked, so the system's setting applies.
  }
  const isDark =
    storedScheme === "dark" ||
    (storedScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
})();
