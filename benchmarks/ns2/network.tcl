# What every scenario needs in ns-2: nodes with one radio each, something to send, and the CPU time of the run.
#
# benchmarks/ns2_scenario.py writes a scenario: it sets the array "options", reads this file, makes the network, moves
# the nodes and gives them something to send. "measure" runs it and writes one line: nanoseconds and kilobytes.

proc set_radio {} {
    global options
    Phy/WirelessPhy set RXThresh_ $options(receive_w)
    Phy/WirelessPhy set CSThresh_ $options(sense_w)
    Phy/WirelessPhy set CPThresh_ $options(capture)
    Phy/WirelessPhy set Pt_ $options(transmit_w)
    Mac/802_11 set dataRate_ $options(bitrate_bps)
    Mac/802_11 set basicRate_ $options(control_bitrate_bps)
    Mac/802_11 set RTSThreshold_ $options(rts_threshold_bytes)
}

# A scenario that is timed writes no trace; ns-2 insists on a file all the same.
proc make_network {} {
    global options ns node
    remove-all-packet-headers
    add-packet-header Common Flags IP RTP LL Mac ARP AODV
    set_radio
    set ns [new Simulator]
    ns-random $options(seed)
    set topography [new Topography]
    $topography load_flatgrid $options(side_m) $options(side_m)
    create-god $options(nodes)
    $ns trace-all [open $options(trace) w]
    $ns node-config -adhocRouting $options(routing) -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue \
        -ifqLen $options(queue_frames_max) -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround \
        -phyType Phy/WirelessPhy -channel [new Channel/WirelessChannel] -topoInstance $topography \
        -agentTrace $options(is_traced) -routerTrace OFF -macTrace $options(is_traced) -movementTrace OFF
    for {set number 0} {$number < $options(nodes)} {incr number} {
        set node($number) [$ns node]
        $node($number) random-motion 0
        $node($number) set Z_ 0
    }
}

# Packets of one size, one each interval from a time on, to a node's port 1 or, with -1, to all in range.
proc send_packets {from to size_bytes interval_s at_s count} {
    global ns node
    set agent [new Agent/UDP]
    $agent set packetSize_ $size_bytes
    $ns attach-agent $node($from) $agent
    $agent set dst_addr_ $to
    $agent set dst_port_ 1
    set source [new Application/Traffic/CBR]
    $source set packetSize_ $size_bytes
    $source set interval_ $interval_s
    $source set maxpkts_ $count
    $source attach-agent $agent
    $ns at $at_s "$source start"
}

# Packets to port 1 end here, in compiled code.
proc receive_packets {at} {
    global node
    $node($at) attach [new Agent/Null] 1
}

proc cpu_ns {} {
    set file [open /proc/self/schedstat]
    set spent [lindex [read $file] 0]
    close $file
    return $spent
}

proc peak_memory_kb {} {
    set file [open /proc/self/status]
    regexp {VmHWM:\s+(\d+)} [read $file] all peak
    close $file
    return $peak
}

proc measure {} {
    global options ns began
    $ns at $options(duration_s) finish
    set began [cpu_ns]
    $ns run
}

proc finish {} {
    global options ns began
    set spent [expr {[cpu_ns] - $began}]
    $ns flush-trace
    set file [open $options(result) w]
    puts $file "$spent [peak_memory_kb]"
    close $file
    exit 0
}
