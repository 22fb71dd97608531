import parser from "@babel/eslint-parser";
import js from "@eslint/js";

export default [
  {
    ...js.configs.recommended,
    files: ["src/**/*.ts"],
    languageOptions: {
      parser,
      parserOptions: {
        requireConfigFile: false,
        babelOptions: { presets: ["@babel/preset-typescript"] },
      },
    },
    rules: {
      ...js.configs.recommended.rules,
      eqeqeq: "error",
      "no-undef": "off",
      "prefer-const": "warn",
    },
  },
];
