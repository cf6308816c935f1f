"use strict";

// Timelines lie in the file packed, so that it opens at once; each unfolds when somebody opens it.
const packed = new Map();
for (const block of document.querySelectorAll("script[data-of]")) packed.set(block.dataset.of, block);

async function unfold(details) {
  const block = packed.get(details.id);
  const body = details.querySelector(".body");
  if (!block || body.dataset.state) return;
  body.dataset.state = "unfolding";
  body.setAttribute("aria-busy", "true");
  try {
    const bytes = Uint8Array.from(atob(block.textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    // Every text in it was escaped when the report was made, and the page's policy lets no script of it run.
    const parsed = new DOMParser().parseFromString(await new Response(stream).text(), "text/html");
    body.replaceChildren(...parsed.body.childNodes);
    body.dataset.state = "unfolded";
  } catch (error) {
    body.textContent = `This browser can not unfold the timeline (${error.message}); company-lab show can.`;
    body.dataset.state = "";
  }
  body.removeAttribute("aria-busy");
}

for (const details of document.querySelectorAll("details.episode")) {
  details.addEventListener("toggle", () => details.open && unfold(details));
}

async function follow() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target || !target.matches("details.episode")) return;
  target.hidden = false;
  target.open = true;
  await unfold(target);
  const summary = target.querySelector("summary");
  summary.focus({ preventScroll: true });
  target.scrollIntoView({ block: "start" });
}
window.addEventListener("hashchange", follow);
document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest('a[href^="#e"]');
  if (link && link.hash === location.hash) follow();
});
follow();

const filter = document.getElementById("filter");
if (filter) {
  filter.closest("p").hidden = false;
  const episodes = [...document.querySelectorAll("details.episode")];
  const texts = episodes.map((one) => one.querySelector("summary").textContent.toLowerCase());
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    let shown = 0;
    episodes.forEach((one, index) => {
      one.hidden = !texts[index].includes(wanted);
      shown += one.hidden ? 0 : 1;
    });
    document.getElementById("count").textContent = wanted ? `${shown} of ${episodes.length}` : "";
  });
}

// Everything that is there goes on paper.
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details:not(.episode)")) details.open = true;
});
