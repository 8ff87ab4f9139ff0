/** Elements of jsdom make their style when it is first used: few need one, and it takes as long as the element itself. */

import "jsdom"; // before its parts
import html from "jsdom/lib/jsdom/living/nodes/HTMLElement-impl.js";
import svg from "jsdom/lib/jsdom/living/nodes/SVGElement-impl.js";

for (const { prototype } of [html.implementation, svg.implementation]) {
  const make = prototype._initElementCSSInlineStyle;
  prototype._initElementCSSInlineStyle = function () {
    this._settingCssText = false;
  };
  Object.defineProperty(prototype, "_style", {
    get() {
      const { _settingCssText } = this;
      Object.defineProperty(this, "_style", { writable: true, value: null });
      make.call(this);
      this._settingCssText = _settingCssText; // a style that comes with its attribute is being set
      return this._style;
    },
  });
}
