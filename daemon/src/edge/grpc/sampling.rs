//! How coarsely documents of each size are sampled: reports the setting and changes it.

use simdex_proto::v1;
use simdex_proto::v1::set_sampling_request::Chosen;
use simdex_signature::{BadSampling, Rung, Sampling, SizeStep};
use tonic::{Request, Status};

use super::operator::check_is_operator;
use crate::encode;
use crate::engine::Engine;

/// Refuses a change of sampling unless root or the daemon's own user asks for it.
pub(super) fn check_may_choose<T>(request: &Request<T>) -> Result<(), Status> {
    check_is_operator(
        request,
        "only root and the user that the daemon runs as may choose how documents are sampled",
    )
}

/// The setting that a request asks for; `None` for sampling by length alone.
pub(super) fn parse(request: v1::SetSamplingRequest) -> Result<Option<Sampling>, Status> {
    match request.chosen {
        Some(Chosen::ByLength(true)) => Ok(None),
        Some(Chosen::Groups(chosen)) => chosen_groups(&chosen.groups).map(Some).map_err(refused),
        Some(Chosen::ByLength(false)) | None => Err(refused(NoSetting::Bad(BadSampling::Empty))),
    }
}

/// Why a request contains no valid setting.
#[derive(Debug, thiserror::Error)]
enum NoSetting {
    #[error("n = {0} is no power of two")]
    NoPower(u64),
    #[error(transparent)]
    Bad(#[from] BadSampling),
}

fn chosen_groups(groups: &[v1::SamplingGroup]) -> Result<Sampling, NoSetting> {
    let step = |group: &v1::SamplingGroup| {
        if !group.n.is_power_of_two() {
            return Err(NoSetting::NoPower(group.n));
        }
        let rung = Rung::all().find(|rung| rung.modulus() == group.n);
        Ok(SizeStep {
            from: group.from_bytes,
            rung: rung.ok_or(BadSampling::TooCoarse(group.n))?,
        })
    };
    let steps: Vec<SizeStep> = groups.iter().map(step).collect::<Result<_, _>>()?;
    Ok(Sampling::new(&steps)?)
}

fn refused(why: NoSetting) -> Status {
    Status::invalid_argument(format!(
        "the request holds no valid setting for sampling: {why}"
    ))
}

/// The setting in force, as a reply.
pub(super) fn reply(engine: &Engine) -> v1::SamplingReply {
    v1::SamplingReply {
        sampling: Some(encode::sampling(&engine.index)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(groups: &[(u64, u64)]) -> String {
        let group = |&(from_bytes, n): &(u64, u64)| v1::SamplingGroup { from_bytes, n };
        let groups = groups.iter().map(group).collect();
        let chosen = Chosen::Groups(v1::SamplingGroups { groups });
        let parsed = parse(v1::SetSamplingRequest {
            chosen: Some(chosen),
        });
        match parsed {
            Ok(sampling) => format!("{:?}", sampling.map(|sampling| sampling.size_steps().len())),
            Err(status) => status.message().to_owned(),
        }
    }

    #[test]
    fn what_makes_no_setting_is_refused_in_a_sentence() {
        let why = "the request holds no valid setting for sampling: ";
        for (groups, what) in [
            (&[][..], "it names no group of sizes"),
            (&[(0, 3)], "n = 3 is no power of two"),
            (&[(0, 0)], "n = 0 is no power of two"),
            (
                &[(0, 128)],
                "n = 128 is too coarse; documents are sampled at n = 64 at most",
            ),
            (
                &[(0, 1 << 40)],
                "n = 1099511627776 is too coarse; documents are sampled at n = 64 at most",
            ),
            (
                &[(9, 2)],
                "its first group begins at 9 bytes; the first one begins at 0",
            ),
            (
                &[(0, 2), (9, 1)],
                "texts from 9 bytes on are sampled more finely than shorter ones",
            ),
        ] {
            assert_eq!(said(groups), format!("{why}{what}"));
        }
        assert_eq!(said(&[(0, 1), (2_048, 8), (4_096, 8)]), "Some(2)");
        for chosen in [None, Some(Chosen::ByLength(false))] {
            assert!(parse(v1::SetSamplingRequest { chosen }).is_err());
        }
        let reset = parse(v1::SetSamplingRequest {
            chosen: Some(Chosen::ByLength(true)),
        });
        assert!(reset.is_ok_and(|sampling| sampling.is_none()));
    }
}
