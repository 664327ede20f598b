// Names and headings that contain all words of the search, those that begin with it first. `places` is in names.js.
const field = document.getElementById("search"), found = document.getElementById("found"), contents = document.getElementById("contents");
field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(word => word);
    const rank = text => [text !== words[0], !text.startsWith(words[0]), !text.includes("::" + words[0]), text.length];
    const hits = words.length === 0 ? [] : places.filter(([text]) => words.every(word => text.toLowerCase().includes(word)))
        .map(place => [rank(place[0].toLowerCase()), place])
        .sort(([a], [b]) => { const k = a.findIndex((x, i) => x !== b[i]); return k < 0 ? 0 : a[k] - b[k]; }).slice(0, 40);
    found.replaceChildren(...hits.map(([, [text, place, where]]) => {
        const item = document.createElement("li"), link = document.createElement("a"), note = document.createElement("small");
        link.href = place;
        link.textContent = text;
        note.textContent = where === "name" || where === "page" ? "" : " " + where;
        item.append(link, note);
        return item;
    }));
    contents.hidden = words.length > 0;
});
field.addEventListener("keydown", event => { if (event.key === "Enter") found.querySelector("a")?.click(); });
// On a narrow screen the contents close when one of their places is taken.
document.querySelector("nav").addEventListener("click", event => {
    if (event.target.tagName === "A") document.getElementById("menu").checked = false;
});
const nav = document.querySelector("nav"), here = nav.querySelector("[aria-current]");
if (here) nav.scrollTop = here.offsetTop - nav.clientHeight / 3;
