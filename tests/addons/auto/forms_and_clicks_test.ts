import { assertEquals } from "@std/assert";
import { autoTest } from "./page.ts";

const FORMS: readonly (readonly [string, string, object])[] = [
  ["id", `<form id="a" name="b" action="https://x.example/sign/up?t=1#f"><input name="id" value="secret"></form>`, {
    form: "a",
    path: "/sign/up",
  }],
  ["name", `<form name="b"><input name="getAttribute" value="secret"></form>`, { form: "b", path: "/teas" }],
  ["neither", `<form action="mailto:ann@mail.example"></form>`, {}],
];

for (const [what, markup, properties] of FORMS) {
  autoTest(`auto() records a form by ${what}`, { options: { forms: true } }, async ({ html, scope, sent }) => {
    Reflect.set(globalThis, "Element", scope.Element);
    try {
      html(`<base href="https://shop.example/teas">`);
      const form = html(markup);
      form.dispatchEvent(new scope.Event("submit", { bubbles: true, cancelable: true }));
      assertEquals(await sent(), [["$form", properties]]);
    } finally {
      Reflect.deleteProperty(globalThis, "Element");
    }
  });
}

autoTest("auto() makes a step of a click on a marked element", {
  options: { clicks: true, outbound: true },
}, async ({ html, scope, sent }) => {
  const root = html(
    `<div data-vendor-step="outer"><a href="https://tea.example/" data-vendor-step="signup" data-vendor-plan-name="pro"` +
      ` data-other="x"><b>secret</b></a><i>x</i></div>`,
  );
  const click = (selector: string, type = "click", button = 0): void => {
    const event = new scope.MouseEvent(type, { bubbles: true, cancelable: true, button });
    root.querySelector(selector)?.dispatchEvent(event);
  };
  click("b");
  click("i");
  click("i", "auxclick", 1);
  assertEquals(await sent(), [
    ["signup", { planName: "pro" }],
    ["$outbound", { url: "https://tea.example/" }],
    ["outer", {}],
  ]);
});

autoTest("auto() makes one step of a click that clicks within its handlers, and of each that a script makes alone", {
  options: { clicks: true },
}, async ({ html, scope, sent }) => {
  const card = html(`<div data-vendor-step="opened"><a href="#x">more</a></div>`);
  const click = (target: Element | null): void => {
    target?.dispatchEvent(new scope.MouseEvent("click", { bubbles: true, cancelable: true }));
  };
  card.addEventListener("click", ({ target }) => target === card && click(card.querySelector("a")));

  click(card);
  click(card.querySelector("a"));

  assertEquals(await sent(), [["opened", {}], ["opened", {}]]);
});
