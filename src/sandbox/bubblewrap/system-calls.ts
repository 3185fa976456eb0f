/** Numbers of system calls that no job needs, for the two architectures that are known here. Taken from the kernel's own tables. */

interface CallNumbers {
  /** `AUDIT_ARCH_*` of the kernel. */
  readonly architecture: number;
  /** Refused with EPERM. */
  readonly refused: readonly number[];
  /** Refused with ENOSYS, so that a C library falls back to `clone`, whose flags can be looked at. */
  readonly clone3: number;
  readonly clone: number;
  readonly socket: number;
  readonly ioctl: number;
}

/** Calls that have the same number everywhere: io_uring, the newer calls about mounts, and those that reach into other processes. */
const common: readonly number[] = [
  425, // io_uring_setup
  426, // io_uring_enter
  427, // io_uring_register
  428, // open_tree
  429, // move_mount
  430, // fsopen
  431, // fsconfig
  432, // fsmount
  433, // fspick
  438, // pidfd_getfd
  440, // process_madvise
  442, // mount_setattr
  447, // memfd_secret
  448, // process_mrelease
];

const x64: CallNumbers = {
  architecture: 0xc000003e,
  clone: 56,
  clone3: 435,
  socket: 41,
  ioctl: 16,
  refused: [
    ...common,
    29, // shmget: memory that nothing counts while no process has it attached; so has memfd_create
    68, // msgget
    319, // memfd_create
    101, // ptrace
    103, // syslog
    134, // uselib
    153, // vhangup
    154, // modify_ldt
    155, // pivot_root
    156, // _sysctl
    159, // adjtimex
    161, // chroot
    163, // acct
    164, // settimeofday
    165, // mount
    166, // umount2
    167, // swapon
    168, // swapoff
    169, // reboot
    172, // iopl
    173, // ioperm
    175, // init_module
    176, // delete_module
    179, // quotactl
    180, // nfsservctl
    212, // lookup_dcookie
    227, // clock_settime
    246, // kexec_load
    248, // add_key
    249, // request_key
    250, // keyctl
    272, // unshare
    279, // move_pages
    298, // perf_event_open
    300, // fanotify_init
    303, // name_to_handle_at
    304, // open_by_handle_at
    305, // clock_adjtime
    308, // setns
    310, // process_vm_readv
    311, // process_vm_writev
    312, // kcmp
    313, // finit_module
    320, // kexec_file_load
    321, // bpf
    323, // userfaultfd
  ],
};

const arm64: CallNumbers = {
  architecture: 0xc00000b7,
  clone: 220,
  clone3: 435,
  socket: 198,
  ioctl: 29,
  refused: [
    ...common,
    18, // lookup_dcookie
    39, // umount2
    40, // mount
    41, // pivot_root
    42, // nfsservctl
    51, // chroot
    58, // vhangup
    60, // quotactl
    89, // acct
    97, // unshare
    104, // kexec_load
    105, // init_module
    106, // delete_module
    112, // clock_settime
    116, // syslog
    117, // ptrace
    142, // reboot
    170, // settimeofday
    171, // adjtimex
    217, // add_key
    218, // request_key
    219, // keyctl
    224, // swapon
    225, // swapoff
    239, // move_pages
    241, // perf_event_open
    262, // fanotify_init
    264, // name_to_handle_at
    265, // open_by_handle_at
    266, // clock_adjtime
    268, // setns
    270, // process_vm_readv
    271, // process_vm_writev
    272, // kcmp
    273, // finit_module
    280, // bpf
    282, // userfaultfd
    294, // kexec_file_load
    186, // msgget
    194, // shmget
    279, // memfd_create
  ],
};

/** By the names that Node gives to architectures. */
export const callNumbers: Readonly<Record<string, CallNumbers>> = { x64, arm64 };
