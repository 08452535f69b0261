//! Nodes, links, clocks, disks, and the faults that strike them.

mod across_nodes;
mod aimed;
mod clocks;
mod disks;
mod fault_counts;
mod faults;
mod journals;
mod network;
