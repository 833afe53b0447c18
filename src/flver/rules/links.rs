//! Parent, child and sibling links, of nodes and of skeletons alike.

use crate::flver::format::{Node, SkeletonBone};

/// The four links of an entry; -1 for none.
#[derive(Debug, Clone, Copy)]
pub struct Links {
    pub parent: i16,
    pub first_child: i16,
    pub next: i16,
    pub previous: i16,
}

impl From<&Node> for Links {
    fn from(node: &Node) -> Self {
        Self {
            parent: node.parent,
            first_child: node.first_child,
            next: node.next_sibling,
            previous: node.previous_sibling,
        }
    }
}

impl From<&SkeletonBone> for Links {
    fn from(bone: &SkeletonBone) -> Self {
        Self {
            parent: bone.parent,
            first_child: bone.first_child,
            next: bone.next_sibling,
            previous: bone.previous_sibling,
        }
    }
}

/// A link that names no entry: (entry, which link, its number).
pub fn outside(links: &[Links]) -> impl Iterator<Item = (usize, &'static str, i16)> {
    let count = links.len();
    links.iter().enumerate().flat_map(move |(index, links)| {
        let named = [
            ("parent", links.parent),
            ("first child", links.first_child),
            ("next sibling", links.next),
            ("previous sibling", links.previous),
        ];
        named
            .into_iter()
            .filter(move |(_, link)| !in_range(*link, count))
            .map(move |(name, link)| (index, name, link))
    })
}

fn in_range(link: i16, count: usize) -> bool {
    link == -1 || entry(link).is_some_and(|link| link < count)
}

fn entry(link: i16) -> Option<usize> {
    usize::try_from(link).ok()
}

/// Entries whose children, found by walking siblings from the first child, are not exactly those whose parent
/// they are, and links that the way back does not undo: (entry, what is wrong).
pub fn contradictions(links: &[Links]) -> Vec<(usize, String)> {
    let mut children = vec![0usize; links.len()];
    for parent in links.iter().filter_map(|links| entry(links.parent)) {
        if let Some(children) = children.get_mut(parent) {
            *children += 1;
        }
    }
    let mut found = Vec::new();
    for (index, of) in links.iter().enumerate() {
        if let Some(problem) = walk(links, index, of.first_child, children[index]) {
            found.push((index, problem));
        }
        let at = |link: i16| entry(link).and_then(|link| links.get(link));
        if let Some(next) = at(of.next).filter(|next| entry(next.previous) != Some(index)) {
            found.push((index, format!("its next sibling {} has {} before it", of.next, next.previous)));
        }
        if let Some(previous) = at(of.previous).filter(|previous| entry(previous.next) != Some(index)) {
            let text = format!("its previous sibling {} has {} after it", of.previous, previous.next);
            found.push((index, text));
        }
    }
    found
}

/// The lowest entry whose chain of parents comes back to it. Each entry is walked over once.
pub fn circle(links: &[Links]) -> Option<usize> {
    let mut walked_from = vec![usize::MAX; links.len()];
    let mut lowest: Option<usize> = None;
    for start in 0..links.len() {
        let mut at = start;
        while walked_from[at] == usize::MAX {
            walked_from[at] = start;
            match entry(links[at].parent).filter(|parent| *parent < links.len()) {
                // The chain meets itself: `parent` is on the circle, and all of it is new.
                Some(parent) if walked_from[parent] == start => {
                    let round = std::iter::successors(Some(parent), |at| {
                        entry(links[*at].parent).filter(|next| *next != parent)
                    });
                    lowest = lowest.into_iter().chain(round).min();
                }
                Some(parent) => at = parent,
                None => break,
            }
        }
    }
    lowest
}

/// Walks the siblings; stops at the first that has another parent, so that all walks together are linear.
fn walk(links: &[Links], parent: usize, first: i16, children: usize) -> Option<String> {
    let mut next = first;
    let mut seen = 0;
    while let Some(child) = entry(next).filter(|child| *child < links.len()) {
        if entry(links[child].parent) != Some(parent) {
            return Some(format!(
                "entry {child} is among its children and has parent {}",
                links[child].parent
            ));
        }
        seen += 1;
        if seen > children {
            return Some("its children's siblings form a circle".to_owned());
        }
        next = links[child].next;
    }
    (seen != children).then(|| {
        format!("{children} entries have it as parent, its first child and their siblings are {seen}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(rows: &[[i16; 4]]) -> Vec<Links> {
        let link = |row: &[i16; 4]| {
            let [parent, first_child, next, previous] = *row;
            Links { parent, first_child, next, previous }
        };
        rows.iter().map(link).collect()
    }

    fn problems(rows: &[[i16; 4]]) -> Vec<String> {
        contradictions(&links(rows)).into_iter().map(|(index, text)| format!("{index}: {text}")).collect()
    }

    #[test]
    fn a_sound_tree_has_no_contradiction() {
        assert!(problems(&[[-1, 1, -1, -1], [0, -1, 2, -1], [0, -1, -1, 1]]).is_empty());
    }

    #[test]
    fn a_lost_child_a_strange_child_and_a_circle_of_siblings_are_told() {
        assert!(problems(&[[-1, 1, -1, -1], [0, -1, -1, -1], [0, -1, -1, -1]])[0].contains("are 1"));
        assert!(problems(&[[-1, 1, -1, -1], [-1, -1, -1, -1]])[0].contains("has parent -1"));
        assert!(problems(&[[-1, 1, -1, -1], [0, -1, 1, 1]])[0].contains("circle"));
        assert!(problems(&[[-1, 1, -1, -1], [0, -1, 2, -1], [0, -1, -1, -1]])[0].contains("before it"));
        assert!(problems(&[[-1, 1, -1, -1], [0, -1, -1, 2], [0, -1, -1, -1]]).len() >= 2);
    }

    #[test]
    fn a_link_outside_the_table_is_found() {
        let links = links(&[[-1, 5, -1, -2]]);
        assert_eq!(outside(&links).collect::<Vec<_>>(), [(0, "first child", 5), (0, "previous sibling", -2)]);
    }
}
