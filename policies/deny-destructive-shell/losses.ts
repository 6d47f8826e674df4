import type { Loss } from "../lib/losses.ts";

const erases = "erases a disk or a volume";
const locks = "takes an account away from its owner";
const cuts = "cuts the machine off the network";
const traces = "removes traces of what was done";

/** Processes that a machine cannot do without, as a pattern. */
export const services =
  "sshd?|crond?|atd|rsyslogd?|syslogd|syslog-ng|auditd|dockerd|containerd|kubelet|NetworkManager|systemd\\S*|dbus-daemon|chronyd|ntpd|firewalld|fail2ban-server|clamd|osqueryd|falcon-sensor|wazuh-\\w+";

/** Commands that destroy something whatever paths they name. The first row that matches counts. */
export const losses: readonly Loss[] = [
  { programs: ["zpool"], test: / (?:destroy|labelclear) /, verdict: "deny", what: erases },
  { programs: ["zfs"], test: / (?:destroy|rollback .*-[a-zA-Z]*[rR]) /, verdict: "deny", what: erases },
  {
    programs: ["lvremove", "vgremove", "pvremove"],
    test: / (?!-h |--help )\S/,
    verdict: "deny",
    what: erases,
  },
  { programs: ["lvm"], test: / (?:lv|vg|pv)remove /, verdict: "deny", what: erases },
  { programs: ["mdadm"], test: / --(?:zero-superblock|stop|remove) | -S /, verdict: "ask", what: erases },
  { programs: ["badblocks"], test: / -[a-z]*w/, verdict: "deny", what: erases },
  {
    programs: ["hdparm"],
    test: / --(?:security-erase\S*|trim-sector-ranges\S*|make-bad-sector|write-sector|repair-sector) /,
    verdict: "deny",
    what: erases,
  },
  {
    programs: ["nvme"],
    test: / (?:format|sanitize|delete-ns|write-zeroes|write-uncor|dsm) /,
    verdict: "deny",
    what: erases,
  },
  {
    programs: ["btrfs"],
    test: / (?:subvolume|sub|subvol) (?:delete|del) | device (?:remove|delete) /,
    verdict: "ask",
    what: erases,
  },
  {
    programs: ["sg_format", "sg_sanitize", "scrub", "nwipe", "dban", "blkzone"],
    test: / (?!-h |--help |report )\S/,
    verdict: "ask",
    what: erases,
  },
  { programs: ["dmsetup"], test: / (?:remove|remove_all|wipe_table|clear) /, verdict: "ask", what: erases },
  { programs: ["losetup"], test: / -D /, verdict: "ask", what: "detaches every loop device" },
  { programs: ["efibootmgr"], test: / -[a-zA-Z]*B /, verdict: "ask", what: "deletes a boot entry" },
  {
    programs: ["flashrom"],
    test: / (?:-w|--write|-E|--erase) /,
    verdict: "deny",
    what: "overwrites firmware",
  },
  {
    programs: ["chattr"],
    test: / \+[a-hj-zA-Z]{0,12}i[a-zA-Z]{0,12} (?:.{0,400} )?\/\S{0,4} /,
    verdict: "ask",
    what: "locks files of the system",
  },
  { programs: ["killall5"], test: /^/, verdict: "deny", what: "ends every process" },
  {
    programs: ["pkill", "killall"],
    test: / (?:-\S+ )*(?:\.|\.\*)? $| (?:-[uU]|--euid|--user) /,
    verdict: "ask",
    what: "ends every process that matches",
  },
  {
    programs: ["pkill", "killall"],
    test: new RegExp(` \\^?(?:${services})\\$? `),
    verdict: "ask",
    what: "stops a service of the machine",
  },
  {
    programs: ["debugfs"],
    test: / -[a-zA-Z]*w/,
    verdict: "ask",
    what: "changes a file system below its files",
  },
  {
    programs: ["sysctl"],
    test: / (?:-\S*[wp] |--write |--load|\S+=)/,
    verdict: "ask",
    what: "changes settings of the kernel",
  },
  { programs: ["ip"], test: / link set .*\bdown | route (?:del|delete|flush) /, verdict: "ask", what: cuts },
  { programs: ["ifconfig"], test: / down /, verdict: "ask", what: cuts },
  { programs: ["ifdown"], test: /^/, verdict: "ask", what: cuts },
  { programs: ["route"], test: / del /, verdict: "ask", what: cuts },
  { programs: ["nmcli"], test: / off | down /, verdict: "ask", what: cuts },
  { programs: ["iptables", "ip6tables"], test: / (?:-P|--policy) \S+ DROP /, verdict: "ask", what: cuts },
  {
    programs: ["umount"],
    test: / -[a-z]*[alf]/,
    verdict: "ask",
    what: "takes file systems away from what uses them",
  },
  {
    programs: ["mount"],
    test: /\bremount,(?:\S+,)?ro\b/,
    verdict: "ask",
    what: "makes file systems unwritable",
  },
  {
    programs: ["setenforce"],
    test: / (?:0|permissive) /i,
    verdict: "ask",
    what: "switches off a protection of the machine",
  },
  { programs: ["swapoff"], test: / -a /, verdict: "ask", what: "takes away the swap space" },
  {
    programs: ["systemctl"],
    test: /^(?!.* --user ).* (?:stop|disable|mask|kill|isolate) /,
    verdict: "ask",
    what: "stops a service of the machine",
  },
  {
    programs: ["service", "rc-service"],
    test: / \S+ (?:stop|onestop|forcestop) /,
    verdict: "ask",
    what: "stops a service of the machine",
  },
  {
    programs: ["initctl", "sv", "stop"],
    test: / (?:ssh|sshd|cron|crond|rsyslog|syslog|auditd|network\S*|docker|firewalld) /,
    verdict: "ask",
    what: "stops a service of the machine",
  },
  {
    programs: ["launchctl"],
    test: / (?:unload|bootout|remove|disable|kill) /,
    verdict: "ask",
    what: "stops a service of the machine",
  },
  { programs: ["sysrc"], test: /_enable="?NO/i, verdict: "ask", what: "stops a service of the machine" },
  {
    programs: ["userdel", "deluser", "groupdel", "delgroup", "chpasswd", "newusers"],
    test: /^/,
    verdict: "ask",
    what: locks,
  },
  { programs: ["passwd"], test: / (?!-S |--status )\S/, verdict: "ask", what: locks },
  {
    programs: ["usermod"],
    test: / (?:-\S*[LpesdlU]|--lock|--login) /,
    verdict: "ask",
    what: locks,
  },
  {
    programs: ["chage"],
    test: / (?:-E|-M|-I|--expiredate|--maxdays|--inactive)/,
    verdict: "ask",
    what: locks,
  },
  {
    programs: ["pw"],
    test: / (?:userdel|usermod|lock) | (?:user|group) (?:del|mod) /,
    verdict: "ask",
    what: locks,
  },
  { programs: ["sysadminctl"], test: / -(?:resetPasswordFor|deleteUser) /, verdict: "ask", what: locks },
  { programs: ["dscl"], test: / -?(?:delete|passwd|change) /, verdict: "ask", what: locks },
  { programs: ["history"], test: / -[a-z]*[cd]/, verdict: "ask", what: traces },
  { programs: ["unset"], test: / HIST(?:FILE|SIZE|FILESIZE|CONTROL)? /, verdict: "ask", what: traces },
  {
    programs: ["export", "set", "declare", "typeset"],
    test: / HIST(?:FILE=(?:\/dev\/null)? |SIZE=0|FILESIZE=0)| \+o history /,
    verdict: "ask",
    what: traces,
  },
  { programs: ["journalctl"], test: / --vacuum-\S+/, verdict: "ask", what: traces },
  { programs: ["dmesg"], test: / (?:-[a-zA-Z]*[cC]|--clear|--read-clear) /, verdict: "ask", what: traces },
  { programs: ["auditctl"], test: / (?:-D|-e ?0) /, verdict: "ask", what: traces },
  { programs: ["wevtutil"], test: / cl /, verdict: "ask", what: traces },
  {
    programs: ["rclone"],
    test: / (?:purge|delete|deletefile|rmdirs|sync) /,
    verdict: "ask",
    what: "deletes at another place",
  },
  {
    programs: ["timedatectl"],
    test: / set-(?:time|ntp) /,
    verdict: "ask",
    what: "changes the clock of the machine",
  },
  {
    programs: ["tmutil"],
    test: / (?:delete|disable|deletelocalsnapshots) /,
    verdict: "ask",
    what: "deletes backups",
  },
  { programs: ["vssadmin", "wbadmin"], test: / delete /i, verdict: "deny", what: "deletes backups" },
  {
    programs: ["timeshift", "snapper"],
    test: / (?:--delete\S*|delete) /,
    verdict: "ask",
    what: "deletes backups",
  },
  {
    programs: ["esxcli", "virsh", "vim-cmd", "vboxmanage", "qm", "pct"],
    test: / (?:destroy|undefine|kill|power\.off|unregistervm|vol-delete|vol-wipe|pool-delete) /,
    verdict: "ask",
    what: "ends a virtual machine",
  },
  { programs: ["vim-cmd"], test: /power\.(?:off|reset)\b/, verdict: "ask", what: "ends a virtual machine" },
  { programs: ["vmkfstools"], test: / -U /, verdict: "deny", what: erases },
  {
    programs: ["dpkg", "rpm", "pacman", "apt", "apt-get"],
    test: / (?:--force-(?:all|depends|remove-essential)|--allow-remove-essential|--nodeps|-R[cnsu]{0,3}dd[cnsu]{0,3}) /,
    verdict: "ask",
    what: "removes packages that others need",
  },
];
