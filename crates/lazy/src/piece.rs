//! Pieces of graphs: one op, or one traced function, on arguments.

use hloom_graph::{FunctionId, Graph, Shape};
use rustc_hash::FxHashMap;
use std::sync::{
    Arc, LazyLock, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

/// A graph that nodes share.
pub(crate) struct GraphPiece {
    /// A number that equal pieces share; the structure of a pending graph consists of these
    /// numbers.
    pub id: u64,
    pub graph: Graph,
    pub results: Arc<[Shape]>,
    /// Whether the piece has effects, so that it must run exactly once.
    pub has_effects: bool,
    /// The bytes of the results.
    pub bytes: usize,
}

/// The key by which equal pieces are found.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    structure: u128,
    shapes: Box<[Shape]>,
    parameters: usize,
    functions: Box<[(String, FunctionId)]>,
}

/// The maximum number of pieces that are remembered; when there are more, all are forgotten.
const REMEMBERED: usize = 1 << 14;

static PIECES: LazyLock<Mutex<FxHashMap<Key, Arc<GraphPiece>>>> = LazyLock::new(Mutex::default);
static NEXT_ID: AtomicU64 = AtomicU64::new(0);

impl GraphPiece {
    /// The piece of a graph, or the equal one that is known.
    pub fn of(graph: Graph) -> Arc<GraphPiece> {
        let Some(key) = Key::of(&graph) else {
            return Arc::new(GraphPiece::new(graph));
        };
        let mut pieces = PIECES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(piece) = pieces.get(&key) {
            return piece.clone();
        }
        if pieces.len() >= REMEMBERED {
            pieces.clear();
        }
        let piece = Arc::new(GraphPiece::new(graph));
        pieces.insert(key, piece.clone());
        piece
    }

    fn new(graph: Graph) -> GraphPiece {
        let results: Arc<[Shape]> = results(&graph).collect();
        GraphPiece {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            has_effects: graph.has_effects(),
            bytes: results.iter().map(Shape::byte_size).sum(),
            results,
            graph,
        }
    }
}

impl Key {
    /// `None` for a graph that calls a function of the host without an identity.
    fn of(graph: &Graph) -> Option<Key> {
        let functions = graph.host_calls().iter().map(|call| Some((call.name.clone(), call.id?)));
        let functions = functions.collect::<Option<_>>()?;
        let parameters = graph.parameters().iter().map(|parameter| parameter.spec.shape());
        Some(Key {
            structure: graph.structure_hash(),
            parameters: graph.parameters().len(),
            shapes: parameters.chain(results(graph)).collect(),
            functions,
        })
    }
}

fn results(graph: &Graph) -> impl Iterator<Item = Shape> {
    graph.root().results.iter().map(|&value| graph.shape(value))
}
