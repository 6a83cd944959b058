const SVG = "http://www.w3.org/2000/svg";

/** Draws a cup seen from above. Presentation attributes only: a `style` attribute would break the site's CSP. */
export function drawTeaCup(colour: string): SVGElement {
  const svg = create("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" });
  svg.append(
    create("circle", { cx: "50", cy: "50", r: "46", fill: "#e9e2d2" }),
    create("circle", { cx: "50", cy: "50", r: "42", fill: "#d8cfbb" }),
    create("circle", { cx: "50", cy: "50", r: "35", fill: "#fbf8f0" }),
    create("circle", { cx: "50", cy: "50", r: "30", fill: colour }),
    create("ellipse", { cx: "42", cy: "38", rx: "13", ry: "6", fill: "#ffffff", opacity: "0.28" }),
    create("path", { d: "M84 46h10a4 4 0 0 1 0 8H84z", fill: "#fbf8f0" }),
    create("path", {
      d: "M47 62c2-7 9-11 16-10-1 7-8 12-16 10z",
      fill: "#3f5a2c",
      opacity: "0.75",
    }),
  );
  return svg;
}

function create(name: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
