// Types that every feature of static/js may use without importing them; lib may not.

type State = import("./static/js/core/state.js").State;
type Store = import("./static/js/core/state.js").Store;
type Page = import("./static/js/core/page.js").Page;
type Question = import("./static/js/core/question.js").Question;
type Stage = import("./static/js/core/page.js").Stage;
type Answer = import("./static/js/core/answer.js").Answer;
type Reply = import("./static/js/core/answer.js").Reply;
type Picture = import("./static/js/lib/paint.js").Picture;
