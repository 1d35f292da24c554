// Progressive enhancement: every page works without this file.
"use strict";

for (const block of document.querySelectorAll("pre.copy")) {
  const frame = document.createElement("div");
  frame.className = "copyable";
  block.replaceWith(frame);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy-button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(block);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  frame.append(block, button);
}

for (const code of document.querySelectorAll("code[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy-small";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy ${code.textContent}`);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.dataset.copy);
      button.textContent = "Copied";
    } catch {
      code.textContent = code.dataset.copy;
      getSelection().selectAllChildren(code);
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  code.after(button);
}

// "/" goes to the search field, as in other catalogues.
document.addEventListener("keydown", (event) => {
  const field = document.getElementById("query");
  const typing = event.target.closest("input, select, textarea");
  if (field && event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    field.focus();
  }
});
