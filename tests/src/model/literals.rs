//! `Literals_Section` from the encoder's side (RFC 8878, 3.1.1.3.1).

use arbitrary::Arbitrary;

use super::huffman::Tree;
use super::size;
use crate::data::Lcg;

/// Literals. What cannot be as it says becomes what is next to it.
#[derive(Arbitrary, Clone, Debug)]
pub struct Literals {
    pub kind: Kind,
    /// The shortest form that holds the sizes, or one of the longer ones.
    pub longer: u8,
    pub count: u16,
    pub seed: u32,
}

/// `Literals_Block_Type`.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Kind {
    Raw,
    Rle,
    /// Under a tree of so many symbols.
    Compressed {
        symbols: u8,
        coded_weights: bool,
        four_streams: bool,
    },
    Treeless {
        four_streams: bool,
    },
}

impl Literals {
    /// The section, and the literals in it, of which there are `most` at most. Takes the tree of the frame, or sets it.
    pub fn encode(&self, most: usize, tree: &mut Option<Tree>) -> (Vec<u8>, Vec<u8>) {
        let mut choices = Lcg(u64::from(self.seed));
        let count = size(self.count).min(most);
        match (self.kind, tree.clone()) {
            (Kind::Raw, _) | (Kind::Treeless { .. }, None) => {
                let literals: Vec<u8> = (0..count).map(|_| choices.next_number().to_le_bytes()[0]).collect();
                ([self.plain_header(0, count), literals.clone()].concat(), literals)
            }
            (Kind::Rle, _) => {
                let byte = choices.next_number().to_le_bytes()[0];
                ([self.plain_header(1, count), vec![byte]].concat(), vec![byte; count])
            }
            (Kind::Compressed { symbols, coded_weights, four_streams }, _) => {
                let new = Tree::chosen(usize::from(symbols) + 2, coded_weights, &mut choices);
                let description = new.description.clone();
                let coded = self.coded(2, &description, &new, count, four_streams, &mut choices);
                *tree = Some(new);
                coded
            }
            (Kind::Treeless { four_streams }, Some(tree)) => {
                self.coded(3, &[], &tree, count, four_streams, &mut choices)
            }
        }
    }

    /// Of raw and RLE literals.
    fn plain_header(&self, kind: u64, count: usize) -> Vec<u8> {
        // Size_Format, bits before the size, bits of the size.
        let forms = [(0u64, 3, 5), (1, 4, 12), (3, 4, 20)];
        let &(format, shift, bits) = self.choose(forms.iter().filter(|&&(_, _, bits)| count < 1 << bits));
        let size = (shift + bits) / 8;
        // The short form has one bit of Size_Format; the other one is of the size.
        let word = kind | format << 2 | (count as u64) << shift;
        word.to_le_bytes()[..size].to_vec()
    }

    fn coded(
        &self,
        kind: u64,
        description: &[u8],
        tree: &Tree,
        count: usize,
        four_streams: bool,
        choices: &mut Lcg,
    ) -> (Vec<u8>, Vec<u8>) {
        let literals: Vec<u8> = (0..count).map(|_| tree.symbols[choices.skewed(tree.symbols.len())]).collect();
        let one = [description, &tree.stream(&literals)].concat();
        let four_streams = count >= 6 && (four_streams || count > 1023 || one.len() > 1023);
        let body = if four_streams { [description, &four(tree, &literals)].concat() } else { one };
        let forms = [(0u64, 10), (1, 10), (2, 14), (3, 18)];
        let fits = |&&(format, bits): &&(u64, u32)| {
            (format > 0) == four_streams && count < 1 << bits && body.len() < 1 << bits
        };
        let &(format, bits) = self.choose(forms.iter().filter(fits));
        let word = kind | format << 2 | (count as u64) << 4 | (body.len() as u64) << (4 + bits);
        let header = &word.to_le_bytes()[..(4 + 2 * bits as usize) / 8];
        ([header, &body].concat(), literals)
    }

    fn choose<T: Copy>(&self, forms: impl Iterator<Item = T>) -> T {
        let forms: Vec<T> = forms.collect();
        forms[usize::from(self.longer) % forms.len()]
    }
}

/// `Jump_Table` and four streams.
fn four(tree: &Tree, literals: &[u8]) -> Vec<u8> {
    let each = literals.len().div_ceil(4);
    let (before, last) = literals.split_at(3 * each);
    let streams: Vec<Vec<u8>> = before.chunks(each).chain([last]).map(|part| tree.stream(part)).collect();
    crate::bytes::four_streams([&streams[0], &streams[1], &streams[2], &streams[3]])
}
