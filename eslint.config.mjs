// Mistakes in the front end that the compiler of TypeScript does not see. The packages are those of widgets/.
import { createRequire } from "node:module";

const from = createRequire(new URL("./widgets/package.json", import.meta.url));
const tseslint = from("typescript-eslint");

export default tseslint.config(
  { ignores: ["**/node_modules/**", "build*/**", "out/**", ".venv*/**", "**/*.d.ts"] },
  ...tseslint.configs.recommended,
  {
    files: ["widgets/**/*.ts", "labextension/src/**/*.ts", "tests/frontend/**/*.ts"],
    rules: { "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }], eqeqeq: ["error", "always"] },
  },
);
