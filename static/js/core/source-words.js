import { installedOf } from "./page.js";

/**
 * @param {{page: Page, t: Store["t"]}} store
 * @param {{source: string, name?: string | null}} model
 */
export function sourceWords({ page, t }, { source, name = null }) {
  const found = installedOf(page, { model: { source, name } });
  if (found) return t("source.installed", { name: found.name, layers: found.num_layers, heads: found.num_heads });
  return source === "installed" ? String(name) : t(`source.${source}`);
}
