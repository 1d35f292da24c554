// The explorer in a browser, on the sample index of crates/api. EXPLORER is the path of that example, CHROMIUM of the browser.
// With SCREENSHOTS=<folder>, writes screenshots for the docs instead.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import { chromium } from "playwright-core";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = process.env.SCREENSHOTS;
const registry = "/tools/8453/0x1111111111111111111111111111111111111111";
const creator = "/creators/0x5a3f7c1e0b9d48a6c2e4f8091b7d6a53c0e1f294";
const weather = `${registry}/9`;
const pages = ["/", "/?query=&include_unverified=true", "/?query=zeppelin", "/?max_price=cheap", weather, `${registry}/4`, `${registry}/5`, `${registry}/8`,
  `${registry}/4/check`, `${registry}/2/check`, "/check", creator, "/status", `${registry}/10`, "/nothing"];

let server, browser, origin;

before(async () => {
  server = spawn(process.env.EXPLORER, ["127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  origin = await new Promise((resolve, reject) => {
    server.stdout.once("data", (line) => resolve(String(line).trim()));
    server.once("exit", (code) => reject(new Error(`the example ended with ${code}`)));
  });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});

after(async () => {
  await browser?.close();
  server?.kill();
});

/** Runs `use` with a page; fails on errors of scripts, blocked content and requests to other hosts. */
async function visit(options, use) {
  const context = await browser.newContext({ baseURL: origin, ...options });
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => { problems.push(dialog.message()); dialog.dismiss(); });
  page.on("console", (message) => { if (/Content Security Policy|xss/i.test(message.text())) problems.push(message.text()); });
  page.on("request", (request) => { if (!/^data:/.test(request.url()) && !request.url().startsWith(origin)) problems.push(request.url()); });
  try {
    await use(page);
    assert.deepEqual(problems, []);
  } finally {
    await context.close();
  }
}

const names = (page) => page.locator(".card h3 a").allTextContents();

describe("screenshots", { skip: !folder }, () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const [width, height] of [[390, 844], [1280, 860]]) {
      for (const [name, path] of [["home", "/?query=&include_unverified=true&sort_by=newest"], ["start", "/"], ["tool", weather], ["failed", `${registry}/4/check`], ["gone", `${registry}/10`], ["unverified", `${registry}/4`], ["gated", `${registry}/5`], ["status", "/status"]]) {
        it(`${name} ${colorScheme} ${width}`, () => visit({ colorScheme, viewport: { width, height } }, async (page) => {
          await page.goto(path);
          await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png`, fullPage: width === 390 });
        }));
      }
    }
  }
});

describe("explorer", { skip: Boolean(folder) }, () => {
  for (const javaScriptEnabled of [true, false]) {
    it(`searches, filters, opens and re-checks ${javaScriptEnabled ? "with" : "without"} JavaScript`, () => visit({ javaScriptEnabled }, async (page) => {
      await page.goto("/");
      assert.ok(!(await names(page)).includes("Token price oracle"));
      await page.fill("#query", "weather");
      await page.click(".field button");
      assert.equal((await names(page))[0], "Weather forecast");
      await page.click(".filters summary");
      await page.check("[name=include_unverified]");
      await page.fill("#query", "oracle");
      await page.click(".actions button");
      assert.equal((await names(page))[0], "Token price oracle");
      assert.match(await page.locator(".card .mark").first().textContent(), /Check failed/);
      await page.click(".filters summary");
      await page.selectOption("[name=access_type]", "nft_gated");
      await page.fill("#query", "");
      await page.click(".actions button");
      assert.deepEqual((await names(page)).sort(), ["Members’ research desk", "Satellite images"]);

      const id = javaScriptEnabled ? 4 : 3;
      await page.goto(`${registry}/${id}`);
      await page.click("text=See the report");
      await page.click("text=Check again now");
      assert.match(page.url(), /requested=\d+$/);
      assert.match(await page.locator("[role=status]").textContent(), /re-check was requested/);
      await page.click("text=Check again now");
      assert.match(await page.locator("[role=status]").textContent(), /available again in \d+ s/);
      await page.goto(weather);
      assert.equal(await page.locator(".copy-button").count() > 2, javaScriptEnabled);
    }));
  }

  it("copies a command", () => visit({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto(weather);
    await page.locator(".copy-button").first().click();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(command, /^atr call 'eip155:8453\/erc8257:0x1{40}\/9' \\\n {2}--data '\{"city":"Lisbon"\}' \\\n {2}--max-amount 0.01$/);
  }));

  it("can be used with the keyboard", () => visit({}, async (page) => {
    await page.goto("/");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to content");
    await page.keyboard.press("/");
    await page.keyboard.type("sunrise");
    await page.keyboard.press("Enter");
    await page.waitForURL(/query=sunrise/);
    await page.locator(".card a").first().focus();
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.equal(outline, "solid");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/tools\//);
    assert.equal(await page.locator("h1").textContent(), "Sunrise and sunset");
  }));

  it("runs nothing of a manifest or a query", () => visit({}, async (page) => {
    await page.addInitScript(() => { window.xss = () => alert("xss"); });
    const attack = encodeURIComponent("\"><script>xss()</script><img src=x onerror=xss()>");
    for (const path of [`${registry}/8`, `${registry}/8/check`, `${registry}/8/manifest`, "/?query=xss&include_unverified=true", creator, `/?query=${attack}`, `/?tags=${attack}`, `/check?tool=${attack}`, `/${attack}`]) {
      await page.goto(path);
      assert.equal(await page.locator("iframe, img[src=x], svg").count(), 0, path);
    }
  }));

  for (const colorScheme of ["light", "dark"]) {
    it(`has no findings of axe and no horizontal scroll (${colorScheme})`, () => visit({ colorScheme, viewport: { width: 320, height: 640 }, reducedMotion: "reduce", bypassCSP: true }, async (page) => {
      for (const path of pages) {
        await page.goto(path);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${path}: ${wide} px too wide`);
        const closed = page.locator("details:not([open]) > summary");
        while (await closed.count() > 0) await closed.first().click();
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run());
        assert.deepEqual(violations.map((found) => `${found.id}: ${found.nodes[0].html}`), [], path);
        // 200 % text.
        await page.evaluate(() => { document.documentElement.style.fontSize = "200%"; });
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wider <= 0, `${path}: ${wider} px too wide with large text`);
      }
    }));
  }
});
