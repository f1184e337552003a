"use strict";
(() => {
  const objects = [...document.querySelectorAll(".object")];
  const filter = document.getElementById("filter");
  const chips = [...document.querySelectorAll(".chip")];
  const items = new Map([...document.querySelectorAll("[data-for]")].map((one) => [one.dataset.for, one]));
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const off = new Set(chips.filter((one) => one.getAttribute("aria-pressed") === "false").map((one) => one.dataset.status));
    let shown = 0;
    for (const one of objects) {
      const match = !off.has(one.dataset.status) && words.every((word) => one.dataset.text.includes(word));
      one.hidden = !match;
      items.get(one.id).hidden = !match;
      shown += match ? 1 : 0;
    }
    for (const one of document.querySelectorAll(".manifest")) {
      one.hidden = !one.querySelector(".object:not([hidden])");
    }
    for (const one of document.querySelectorAll(".tree")) {
      one.hidden = !one.querySelector("li:not([hidden])");
    }
    document.getElementById("no-match").hidden = shown > 0 || objects.length === 0;
  };
  const reveal = () => {
    const one = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    if (one && one.tagName === "DETAILS") one.open = true;
  };
  filter.addEventListener("input", show);
  for (const one of chips) {
    one.addEventListener("click", () => {
      one.setAttribute("aria-pressed", String(one.getAttribute("aria-pressed") !== "true"));
      show();
    });
  }
  document.getElementById("expand").addEventListener("click", () => objects.forEach((one) => { one.open = true; }));
  document.getElementById("collapse").addEventListener("click", () => objects.forEach((one) => { one.open = false; }));
  window.addEventListener("hashchange", reveal);
  window.addEventListener("beforeprint", () => objects.forEach((one) => { one.open = true; }));
  document.getElementById("tools").hidden = objects.length === 0;
  reveal();
})();
