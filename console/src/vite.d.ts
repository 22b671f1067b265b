declare module "virtual:theme.css";

declare module "*.module.css" {
  const classes: Readonly<Record<string, string>>;
  // Vite exports the class names of a CSS module as its default.
  // oxlint-disable-next-line import/no-default-export
  export default classes;
}
