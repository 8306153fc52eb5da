/* Standing nodes that contend for the medium in ns-3: the figures that our MAC is checked against.
 *
 * saturated: n senders, always with a frame to send, and one silent node, all in range of each other;
 * hidden: A at 0 m, B at 100 m, C at 200 m, range 150 m; A and C send to B with Poisson arrivals;
 * nobody: one saturated sender whose receiver is out of range, so that every frame ends at the retry limit.
 * Prints one line of JSON with counts, among them the rate of every kind of frame that was on the air.
 */
#include "hard_disc.h"

#include "ns3/wifi-mac-queue.h"

#include <iostream>
#include <map>
#include <vector>

using namespace ns3;

namespace
{

const uint16_t PROTOCOL = 0x88b5; // for experiments (IEEE 802)
const double RANGE_M = 150;
const uint32_t QUEUE_FRAMES = 1000;
const uint32_t FILLED_FRAMES = 50; // what a saturated sender has waiting
const double REFILL_S = 0.001;     // how often it is looked at; a frame takes longer than a 50th of that

struct Options
{
    std::string kind = "saturated";
    std::string standard = "b";
    std::string dataMode = "DsssRate2Mbps";
    std::string controlMode = "DsssRate1Mbps";
    uint32_t senders = 2;
    uint32_t payloadBytes = 512;
    double durationS = 10;
    double framesPerS = 20; // of each sender; hidden only
    bool unicast = false;
    bool rts = false;
};

Options g_options;
uint64_t g_dataFrames = 0;
uint64_t g_rtsFrames = 0;
uint64_t g_received = 0;
uint64_t g_offered = 0;
std::map<int, uint64_t> g_drops;                   // by ns-3's reason
std::map<std::string, std::string> g_kinds;        // kind of frame: its mode and microseconds on the air
Address g_to;
WifiPhyBand g_band = WIFI_PHY_BAND_2_4GHZ;

void
Send(Ptr<NetDevice> device)
{
    ++g_offered;
    device->Send(Create<Packet>(g_options.payloadBytes), g_to, PROTOCOL);
}

void
Refill(Ptr<NetDevice> device)
{
    Ptr<WifiMacQueue> queue = DynamicCast<WifiNetDevice>(device)->GetMac()->GetTxop()->GetWifiMacQueue();
    while (queue->GetNPackets() < FILLED_FRAMES)
    {
        Send(device);
    }
    Simulator::Schedule(Seconds(REFILL_S), &Refill, device);
}

void
SendPoisson(Ptr<NetDevice> device, Ptr<ExponentialRandomVariable> gap)
{
    Send(device);
    Simulator::Schedule(Seconds(gap->GetValue()), &SendPoisson, device, gap);
}

bool
Receive(Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&)
{
    ++g_received;
    return true;
}

void
CountFrame(Ptr<const Packet> frame, double)
{
    WifiMacHeader header;
    frame->PeekHeader(header);
    g_dataFrames += header.IsData();
    g_rtsFrames += header.IsRts();
}

void
NoteKind(Ptr<const Packet> frame, uint16_t, WifiTxVector vector, MpduInfo, uint16_t)
{
    WifiMacHeader header;
    frame->PeekHeader(header);
    std::string& kind = g_kinds[header.GetTypeString()];
    if (kind.empty())
    {
        Time airtime = WifiPhy::CalculateTxDuration(frame->GetSize(), vector, g_band);
        kind = vector.GetMode().GetUniqueName() + ", " + std::to_string(frame->GetSize()) + " bytes, " +
               std::to_string(airtime.GetMicroSeconds()) + " us";
    }
}

void
CountDrop(WifiMacDropReason reason, Ptr<const WifiMpdu>)
{
    ++g_drops[reason];
}

/** The last place is the receiver's. */
std::vector<Vector>
Places()
{
    if (g_options.kind == "hidden")
    {
        return {Vector(0, 0, 0), Vector(200, 0, 0), Vector(100, 0, 0)};
    }
    if (g_options.kind == "nobody")
    {
        return {Vector(0, 0, 0), Vector(1000, 0, 0)};
    }
    std::vector<Vector> places;
    for (uint32_t node = 0; node <= g_options.senders; ++node)
    {
        places.emplace_back(10.0 * (node % 7), 10.0 * (node / 7), 0);
    }
    return places;
}

NetDeviceContainer
Install()
{
    std::vector<Vector> places = Places();
    NodeContainer nodes;
    nodes.Create(places.size());
    for (uint32_t node = 0; node < places.size(); ++node)
    {
        Ptr<MobilityModel> mobility = CreateObject<ConstantPositionMobilityModel>();
        mobility->SetPosition(places[node]);
        nodes.Get(node)->AggregateObject(mobility);
    }
    WifiStandard standard = g_options.standard == "a" ? WIFI_STANDARD_80211a : WIFI_STANDARD_80211b;
    g_band = g_options.standard == "a" ? WIFI_PHY_BAND_5GHZ : WIFI_PHY_BAND_2_4GHZ;
    NetDeviceContainer devices =
        hard_disc::InstallRadios(nodes, standard, RANGE_M, g_options.dataMode, g_options.controlMode);
    for (uint32_t node = 0; node < devices.GetN(); ++node)
    {
        Ptr<WifiNetDevice> device = DynamicCast<WifiNetDevice>(devices.Get(node));
        device->GetPhy()->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&CountFrame));
        device->GetPhy()->TraceConnectWithoutContext("MonitorSnifferTx", MakeCallback(&NoteKind));
        device->GetMac()->TraceConnectWithoutContext("DroppedMpdu", MakeCallback(&CountDrop));
    }
    return devices;
}

void
StartSenders(const NetDeviceContainer& devices)
{
    uint32_t receiver = devices.GetN() - 1;
    g_to = g_options.unicast ? devices.Get(receiver)->GetAddress() : Address(Mac48Address::GetBroadcast());
    devices.Get(receiver)->SetReceiveCallback(MakeCallback(&Receive));
    for (uint32_t node = 0; node < receiver; ++node)
    {
        Ptr<NetDevice> device = devices.Get(node);
        if (g_options.kind == "hidden")
        {
            Ptr<ExponentialRandomVariable> gap = CreateObjectWithAttributes<ExponentialRandomVariable>(
                "Mean", DoubleValue(1 / g_options.framesPerS));
            Simulator::ScheduleWithContext(node, Seconds(gap->GetValue()), &SendPoisson, device, gap);
        }
        else
        {
            Simulator::ScheduleWithContext(node, Seconds(0), &Refill, device);
        }
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    CommandLine command(__FILE__);
    command.AddValue("kind", "saturated, hidden or nobody", g_options.kind);
    command.AddValue("standard", "b or a", g_options.standard);
    command.AddValue("dataMode", "ns-3's name of the mode of data frames", g_options.dataMode);
    command.AddValue("controlMode", "ns-3's name of the mode of RTS; ACK and CTS follow the basic rates",
                     g_options.controlMode);
    command.AddValue("senders", "number of saturated senders", g_options.senders);
    command.AddValue("payload", "bytes", g_options.payloadBytes);
    command.AddValue("duration", "simulated seconds", g_options.durationS);
    command.AddValue("rate", "frames per second of each hidden sender", g_options.framesPerS);
    command.AddValue("unicast", "to the receiver, acknowledged", g_options.unicast);
    command.AddValue("rts", "RTS/CTS before every unicast frame", g_options.rts);
    command.Parse(argc, argv);
    hard_disc::SetDefaults(QUEUE_FRAMES);
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(g_options.rts ? 0 : 65'535));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(7));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(4));
    StartSenders(Install());
    Simulator::Stop(Seconds(g_options.durationS));
    Simulator::Run();
    uint64_t allDrops = 0;
    for (auto [reason, count] : g_drops)
    {
        allDrops += count;
    }
    std::cout << "{\"data_frames\": " << g_dataFrames << ", \"rts_frames\": " << g_rtsFrames
              << ", \"received\": " << g_received << ", \"offered\": " << g_offered
              << ", \"dropped_at_retry_limit\": " << g_drops[WIFI_MAC_DROP_REACHED_RETRY_LIMIT]
              << ", \"dropped\": " << allDrops << ", \"judged\": " << hard_disc::g_judged << ", \"kinds\": {";
    const char* comma = "";
    for (auto& [kind, what] : g_kinds)
    {
        std::cout << comma << "\"" << kind << "\": \"" << what << "\"";
        comma = ", ";
    }
    std::cout << "}}" << std::endl;
    Simulator::Destroy();
    return 0;
}
