"""The contract's tools: they write the bindings, compare them and keep the record of released versions."""
