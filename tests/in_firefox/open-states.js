/** Opens states, given as JSON on stdin, in Firefox: each comes, logs no error, and is not wider than the window. */

import puppeteer from "puppeteer-core";
import { text } from "node:stream/consumers";

const { browser: executablePath, url, states, come, cut, desk, phone } = JSON.parse(await text(process.stdin));
const PATIENCE = 60_000; // ms
// Firefox logs no refused reply: the page shows it.
const LOGGED = ["error", "warn", "assert"];
const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
const page = await browser.newPage();
/** @type {string[]} */
let faults = [];
page.setDefaultTimeout(PATIENCE);
page.on("pageerror", ({ message }) => faults.push(message));
page.on("console", (message) => LOGGED.includes(message.type()) && faults.push(message.text()));

/** Pixels of overflow, once the page is drawn for a window of this size. */
async function overflow(size) {
  await page.setViewport(size);
  const end = Date.now() + PATIENCE / 10;
  let found;
  do {
    await new Promise((resolve) => setTimeout(resolve, 100));
    found = await page.evaluate(`(${cut})(${size.width})`);
  } while (found.length && Date.now() < end);
  return found.map((each) => `at ${size.width} px: ${each}`);
}

async function show({ address, presses, signs }) {
  await page.setViewport(desk);
  if (address) await page.goto(url + address);
  for (const press of presses) await page.locator(press).click();
  const answered = !signs.some((sign) => sign.includes(".notice"));
  await page.waitForFunction(`(${come})(${JSON.stringify([signs, true, answered])})`);
}

let failed = 0;
for (const [name, state] of Object.entries(states)) {
  faults = [];
  try {
    await show(state);
    faults.push(...(await overflow(desk)), ...(state.narrow ? await overflow(phone) : []));
  } catch (error) {
    faults.push(String(error));
  }
  if (faults.length) console.log(`✖ ${name}\n  ${faults.join("\n  ")}`);
  failed += Number(faults.length > 0);
}
await browser.close();
console.log(`${Object.keys(states).length - failed} states in Firefox held, ${failed} did not`);
process.exitCode = failed ? 1 : 0;
