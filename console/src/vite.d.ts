declare module "virtual:theme.css";

declare module "*.module.css" {
  const classes: Readonly<Record<string, string>>;
  // Vite gives a module of styles this shape.
  // oxlint-disable-next-line import/no-default-export
  export default classes;
}
