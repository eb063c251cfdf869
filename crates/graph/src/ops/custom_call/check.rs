//! The checks of a custom call.

use super::OwnTarget;
use crate::{BackendConfig, CustomCall, OutputAlias, Shape, ops::composite::RESERVED, trace::Rule};

/// Checks the attributes and operands of a call.
pub(super) fn check(call: &CustomCall, target: &str, operands: &[Shape]) -> Rule<()> {
    let results = &call.results;
    if target.is_empty() {
        return Err("it has no name".into());
    }
    if call.target.starts_with(RESERVED) && OwnTarget::of(&call.target).is_none() {
        return Err(format!(
            "there is no target `{}`: names that begin with `{RESERVED}` are reserved",
            call.target
        )
        .into());
    }
    match &call.config {
        BackendConfig::Typed(attributes) => {
            if let Some((name, what)) = attributes.foreign() {
                return Err(format!(
                    "attribute `{name}` of `{target}`: the FFI has no attributes that are {what}"
                )
                .into());
            }
        }
        BackendConfig::Opaque { api_version: 1..=3, .. } => {}
        BackendConfig::Opaque { api_version, .. } => {
            return Err(format!(
                "`{target}`: there is no interface of version {api_version} that takes a string"
            )
            .into());
        }
    }
    for (position, &OutputAlias { result, operand }) in call.aliases.iter().enumerate() {
        let (Some(given), Some(taken)) = (results.get(result), operands.get(operand)) else {
            return Err(format!(
                "`{target}`: result {result} cannot have the memory of operand {operand}: there \
                 are {} results and {} operands",
                results.len(),
                operands.len()
            )
            .into());
        };
        if !given.fits(taken) {
            let hint = given.order_hint(taken);
            return Err(format!(
                "`{target}`: result {result} is {given}, operand {operand}, whose memory it \
                 takes, {taken}{hint}"
            )
            .into());
        }
        if call.aliases[..position]
            .iter()
            .any(|other| other.result == result || other.operand == operand)
        {
            return Err(format!(
                "`{target}`: result {result} or operand {operand} shares memory twice"
            )
            .into());
        }
    }
    Ok(())
}
