#[protocol]
/// Remembers values.
pub trait Store {
    /// The value that was put last under that key.
    fn get(get: Get) -> Option<Value>;
    /// Keeps a value.
    fn put(_: Put<u8>);
}
